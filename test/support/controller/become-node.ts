import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority } from '../../../src/pki/authority.ts';

/** Writes the kubelet's kubeconfig below `folder`, with a certificate of a cluster for the Node of this name. */
export function becomeNode(folder: string, name: string): void {
  const { certificate, privateKey } = Authority.create('kubernetes');
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const about = { use: 'client', organization: 'system:nodes', publicKey: keys.publicKey } as const;
  const made = new Authority(certificate, privateKey).sign({ ...about, name: `system:node:${name}` }, 60_000);
  const key = keys.privateKey.export({ format: 'pem', type: 'pkcs8' });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user = { 'client-certificate-data': base64(made.certificate), 'client-key-data': base64(`${key}`) };
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [
      { name: 'k', cluster: { server: 'https://k', 'certificate-authority-data': base64(certificate) } },
    ],
    users: [{ name: 'u', user }],
  };
  mkdirSync(join(folder, 'etc/kubernetes'), { recursive: true });
  writeFileSync(join(folder, 'etc/kubernetes/kubelet.conf'), JSON.stringify(kubeconfig));
}
