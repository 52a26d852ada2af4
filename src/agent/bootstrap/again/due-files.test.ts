import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { FileEntry } from '../../document/document.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { dueFiles } from './due-files.ts';

const OWN = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;

let root: string;
beforeEach(() => {
  root = scratch();
});

function put(path: string, content = 'as asked', mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

/** @param change of each entry, for what cloud-config cannot say */
async function due(paths: readonly string[], change: (entry: FileEntry) => FileEntry = (entry) => entry) {
  const files = paths.map(
    (path) => `- {path: ${path}, content: as asked, owner: "${OWN}", permissions: "0644"}`,
  );
  const text = `#cloud-config\nwrite_files:\n${files.join('\n')}\nruncmd: [kubeadm join --config /etc/of-kubeadm]\n`;
  const document = await readUserData(Buffer.from(text), { source: 'file', metaData: {} });
  const all = { ...document, files: document.files.map(change) };
  return (await dueFiles(createLinuxHost({ root }), all)).map(({ path }) => path);
}

it('is what is missing, or has another content, another mode or another owner', async () => {
  put('/etc/same');
  put('/etc/content', 'else');
  put('/etc/mode', 'as asked', 0o600);
  put('/etc/owner');
  const found = await due(
    ['/etc/same', '/etc/content', '/etc/mode', '/etc/owner', '/etc/missing'],
    (entry) => (entry.path === '/etc/owner' ? { ...entry, owner: '4711:4711' } : entry),
  );
  expect(found).toEqual(['/etc/content', '/etc/mode', '/etc/owner', '/etc/missing']);
});

it("is nothing that the cluster's certificates lie in, or kubeadm reads", async () => {
  put('/etc/of-kubeadm', 'else');
  put('/etc/kubernetes/pki/ca.crt', "the cluster's own");
  const pki = ['/etc/kubernetes/pki/ca.crt', '/etc/kubernetes/pki/sa.key', '/etc/kubernetes/pki/etcd/ca.key'];
  expect(await due(['/etc/of-kubeadm', ...pki, '/etc/kubernetes/pki-of-others'])).toEqual([
    '/etc/kubernetes/pki-of-others',
  ]);
});

it('is none of the certificates where another configuration has put them', async () => {
  put(
    '/etc/kubernetes/manifests/kube-apiserver.yaml',
    '    - --kubelet-client-certificate=/srv/pki/apiserver-kubelet-client.crt\n',
  );
  put('/srv/pki/ca.crt', "the cluster's own");
  expect(await due(['/srv/pki/ca.crt', '/srv/pki/etcd/ca.key', '/srv/else'])).toEqual(['/srv/else']);
});

it('leaves a file that Ignition keeps, and writes one again whose content nobody knows before', async () => {
  put('/etc/kept', 'else');
  put('/etc/sealed');
  const found = await due(['/etc/kept', '/etc/sealed'], (entry) =>
    entry.path === '/etc/kept'
      ? ({ ...entry, rule: { present: 'keep' } } as FileEntry)
      : ({ ...entry, from: {} } as FileEntry),
  );
  expect(found).toEqual(['/etc/sealed']);
});
