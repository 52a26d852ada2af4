import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { clusterApiIgnition } from './ignition/fixtures/cluster-api.ts';
import { readUserData } from './read-user-data.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE a@b';
const CONFIG = `---
apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
nodeRegistration:
  name: '{{ ds.meta_data.local_hostname }}'
  kubeletExtraArgs: {provider-id: 'x://{{ v1.instance_id }}'}
discovery:
  bootstrapToken: {apiServerEndpoint: '10.0.0.1:6443', token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true}
`;

const instance = {
  source: 'nocloud',
  metaData: { 'local-hostname': 'node-7', 'instance-id': 'i-7', 'public-keys': [KEY] },
};

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc'));
});

const read = (text: string, users = '') => {
  writeFileSync(join(root, 'etc/passwd'), users);
  const library = { host: createLinuxHost({ root }), instance: 'i-7', keeps: false };
  return readUserData(Buffer.from(text), instance, { library });
};
const file = (path: string, text: string) => ({
  path,
  filesystem: 'root',
  contents: { source: `data:,${encodeURIComponent(text)}` },
});
const textOf = ({ files }: Awaited<ReturnType<typeof read>>, path: string) =>
  Buffer.from(files.find((each) => each.path === path)?.content.reveal() ?? '').toString('utf8');

it("fills metadata into kubeadm's configuration and into files that ask for it, and into no other", async () => {
  const template = '## template: jinja\nname={{ ds.meta_data["local-hostname"] }}\n';
  const format = "docker ps --format '{{.ID}}'\n";
  const document = await read(
    clusterApiIgnition({ config: CONFIG, files: [file('/etc/name', template), file('/opt/ps', format)] }),
    'core:x:500:500::/home/core:/bin/bash\n',
  );
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(textOf(document, '/etc/kubeadm.yml')).toContain("name: 'node-7'");
  expect(textOf(document, '/etc/kubeadm.yml')).toContain("'x://i-7'");
  expect(textOf(document, '/etc/name')).toBe('name=node-7\n');
  expect(textOf(document, '/opt/ps')).toBe(format);
});

it('renders a config that is a template as a whole', async () => {
  const config = `## template: jinja\n{"ignition": {"version": "3.4.0"}, "storage": {"links": [{"path": "/etc/me", "target": "/{{ v1.instance_id }}"}]}}`;
  expect((await read(config)).links).toMatchObject([{ path: '/etc/me', target: '/i-7' }]);
});

it.each([
  ['there', 'core:x:500:500::/home/core:/bin/bash\n', [[KEY]], 0],
  ['not there', 'root:x:0:0::/root:/bin/sh\n', [], 1],
])('lets the public keys of the metadata in as core, who is %s', async (_, users, keys, warnings) => {
  const document = await read('{"ignition": {"version": "3.4.0"}}', users);
  expect(document.users.map(({ sshAuthorizedKeys }) => sshAuthorizedKeys)).toEqual(keys);
  expect(document.report.filter(({ message }) => message.includes('have no effect'))).toHaveLength(warnings);
});

it('puts them before those of the config, once', async () => {
  const own = `{"ignition": {"version": "3.4.0"}, "passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["ssh-rsa AAAA own", "${KEY}"]}]}}`;
  expect((await read(own)).users).toMatchObject([
    { name: 'core', sshAuthorizedKeys: [KEY, 'ssh-rsa AAAA own'] },
  ]);
});

it.each([
  ['/etc/name', `## template: jinja\n\n{{ v1.( }}\n`, 'error', 3],
  ['/etc/kubeadm.yml', CONFIG.replace('v1.instance_id', 'v1.instance_id.a.b'), 'error', 6],
  // kubeadm's configuration is a template only where it can be one: Ignition takes braces as they are.
  ['/etc/kubeadm.yml', CONFIG.replace('v1.instance_id', 'v1.('), 'warning', 6],
  ['/etc/kubeadm.yml', CONFIG.replace('{{ v1.instance_id }}', '$' + '{%s}'), 'warning', 6],
])('says where the template in %s is wrong: %j', async (path, text, severity, line) => {
  const isConfig = path.endsWith('kubeadm.yml');
  const document = await read(
    clusterApiIgnition({ config: isConfig ? text : CONFIG, files: isConfig ? [] : [file(path, text)] }),
  );
  expect(document.report).toContainEqual(
    expect.objectContaining({
      ...{ severity, code: 'UserDataTemplate', where: expect.objectContaining({ line }) },
      message: expect.stringContaining(`counted in ${path}`),
    }),
  );
  if (severity === 'warning') expect(textOf(document, path)).toContain(text);
});
