import { MANIFESTS, PKI } from '../../../kubeadm/config/kubeadm-files.ts';
import { type Check, isControlPlane, type Task } from '../check.ts';
import { type PreflightFinding, preflightFinding } from '../finding.ts';

/** Files of an earlier node that kubeadm refuses. Slipway cleans up its own attempts before the next. */
export const leftovers: Check = {
  name: 'leftovers of an earlier node',
  async run(host, task) {
    if (task.attempted) return [];
    const findings: PreflightFinding[] = [];
    for (const path of filesToBeAbsent(task)) {
      if ((await host.files.stat(path)) === undefined) continue;
      const check = { kubeadmCheck: `FileAvailable-${path.replaceAll('/', '-')}` };
      findings.push(preflightFinding('fatal', 'LeftoversFound', `${path} is there already`, check));
    }
    const { config } = task;
    if (config === undefined || !isControlPlane(task) || config.externalEtcd) return findings;
    const data = config.etcdDataDir;
    const isFile = (await host.files.stat(data))?.kind === 'file';
    if (isFile || (await host.files.list(data)).length > 0) {
      const check = { kubeadmCheck: `DirAvailable-${data.replaceAll('/', '-')}` };
      // Only the cluster knows whether a joining control plane has an etcd of its own.
      const severity = config.verb === 'init' ? 'fatal' : 'warning';
      const what = isFile
        ? 'is a file, where etcd needs a directory'
        : 'is not empty, so it holds data of an earlier etcd';
      findings.push(preflightFinding(severity, 'LeftoversFound', `${data} ${what}`, check));
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
