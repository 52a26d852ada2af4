import { ETCD_DIRECTORY_REMEDY } from '../../../../protocol/codes/etcd-directory.ts';
import { MANIFESTS, PKI } from '../../../kubeadm/config/kubeadm-files.ts';
import { type Check, isControlPlane, type PreflightFinding, preflightFinding, type Task } from '../check.ts';

/** Files of an earlier node that kubeadm refuses. Slipway cleans up its own attempts before the next. */
export const leftovers: Check = {
  name: 'leftovers of an earlier node',
  async run(host, task) {
    if (task.attempted) return [];
    const findings: PreflightFinding[] = [];
    for (const path of filesToBeAbsent(task)) {
      if ((await host.files.stat(path)) === undefined) continue;
      const check = { kubeadmCheck: `FileAvailable-${path.replaceAll('/', '-')}` };
      findings.push(preflightFinding('fatal', 'LeftoversFound', `${path} already exists`, check));
    }
    const { config } = task;
    if (config === undefined || !isControlPlane(task) || config.externalEtcd) return findings;
    const data = config.etcdDataDir;
    const isFile = (await host.files.stat(data))?.kind === 'file';
    const held = isFile ? [] : await host.files.list(data);
    if (isFile || held.length > 0) {
      const check = { kubeadmCheck: `DirAvailable-${data.replaceAll('/', '-')}` };
      // Only the cluster knows whether a joining control plane has an etcd of its own.
      const severity = config.verb === 'init' ? 'fatal' : 'warning';
      const what = isFile
        ? 'is a file, where etcd needs a directory'
        : held.every((name) => name === 'lost+found')
          ? 'is not empty: it contains lost+found, like the mount point of a disk'
          : 'is not empty, so it contains data of an earlier etcd';
      const remedy = isFile ? {} : { remedy: ETCD_DIRECTORY_REMEDY };
      findings.push(preflightFinding(severity, 'LeftoversFound', `${data} ${what}`, { ...check, ...remedy }));
    }
    return findings;
  },
};

function filesToBeAbsent({ config }: Task): string[] {
  const kubeconfigs = ['kubelet', 'bootstrap-kubelet'].map((name) => `/etc/kubernetes/${name}.conf`);
  if (config === undefined) return [...kubeconfigs, `${PKI}/ca.crt`, ...MANIFESTS];
  if (config.verb === 'init') return MANIFESTS;
  return [...kubeconfigs, ...(config.controlPlane ? MANIFESTS : [config.caCertPath])];
}
