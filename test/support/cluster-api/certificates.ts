import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
