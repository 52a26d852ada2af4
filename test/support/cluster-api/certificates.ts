import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubernetesBinaries, kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import { runOk } from '../../lab/process/command.ts';

const FILES = ['ca', 'etcd/ca', 'front-proxy-ca'].flatMap((name) => [`${name}.crt`, `${name}.key`]);

/** What Cluster API keeps in the secrets CLUSTER-ca, -etcd, -proxy and -sa. */
export interface ClusterCertificates {
  /** PEM by path below the certificates directory, in the order in which Cluster API writes them. */
  files: { path: string; pem: string }[];
  /** `sha256:...` of the cluster CA's public key. */
  caCertHash: string;
}

/** The kubelet's key and certificate, and the authority that signed it, in PEM, as kubeadm makes them. */
export interface KubeletCertificate {
  certificate: string;
  key: string;
  authority: string;
}

/** A kubelet's client certificate of this cluster, made by kubeadm itself. */
export async function makeKubeletCertificate(
  { files }: ClusterCertificates,
  nodeName: string,
): Promise<KubeletCertificate> {
  const kubeadm = join(await kubernetesBinaries(), 'kubeadm');
  const directory = await mkdtemp(join(tmpdir(), 'slipway-kubelet-'));
  try {
    const pem = (path: string): string => files.find((file) => file.path === path)?.pem ?? '';
    for (const name of ['ca.crt', 'ca.key'])
      await writeFile(join(directory, name), pem(name), { mode: 0o600 });
    await runOk(kubeadm, [
      ...['init', 'phase', 'kubeconfig', 'kubelet', '--cert-dir', directory, '--kubeconfig-dir', directory],
      ...['--node-name', nodeName, '--apiserver-advertise-address', '10.0.0.1'],
      `--kubernetes-version=${(await kubernetesRelease()).version}`,
    ]);
    const kubeconfig = await readFile(join(directory, 'kubelet.conf'), 'utf8');
    const data = (key: string): string =>
      Buffer.from(new RegExp(`${key}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString();
    return { certificate: data('client-certificate'), key: data('client-key'), authority: pem('ca.crt') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** New certificate authorities and a service account key, made by kubeadm itself. */
export async function makeCertificates(): Promise<ClusterCertificates> {
  const kubeadm = join(await kubernetesBinaries(), 'kubeadm');
  const ofVersion = `--kubernetes-version=${(await kubernetesRelease()).version}`;
  const directory = await mkdtemp(join(tmpdir(), 'slipway-pki-'));
  try {
    for (const phase of ['ca', 'etcd-ca', 'front-proxy-ca', 'sa']) {
      // Without a version kubeadm asks the internet for the newest, but for the phase that takes none.
      const version = phase === 'sa' ? [] : [ofVersion];
      await runOk(kubeadm, ['init', 'phase', 'certs', phase, '--cert-dir', directory, ...version]);
    }
    const paths = [...FILES, 'sa.pub', 'sa.key'];
    const files = await Promise.all(
      paths.map(async (path) => ({ path, pem: await readFile(join(directory, path), 'utf8') })),
    );
    const key = new X509Certificate(files[0]?.pem ?? '').publicKey.export({ type: 'spki', format: 'der' });
    return { files, caCertHash: `sha256:${createHash('sha256').update(key).digest('hex')}` };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
