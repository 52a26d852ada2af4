import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeKubeadm } from '../../../test/support/kubeadm/fake-kubeadm.ts';
import { tar } from '../../kit/bytes/tar.ts';
import { JOURNAL } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { redactSettings, secretsIn } from '../redaction/secrets.ts';
import { collect } from './collect.ts';

let machine: FakeKubeadm;
beforeEach(() => {
  machine = new FakeKubeadm();
});
afterEach(() => machine.root.remove());

const run = (limitMs = 20_000) =>
  collect(createLinuxHost({ root: machine.root.path }), { agent: '1', limitMs });

/** Paths and contents, as the tar of this machine reads them. */
function unpack(archive: Buffer): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-tar-'));
  try {
    execFileSync('tar', ['-xf', '-', '--no-same-owner', '-C', directory], {
      input: zstdDecompressSync(archive),
    });
    const paths = execFileSync('find', ['.', '-type', 'f'], { cwd: directory, encoding: 'utf8' })
      .trim()
      .split('\n');
    return Object.fromEntries(
      paths.map((path) => [
        path.replace(/^\.\/[^/]+\//, ''),
        execFileSync('cat', [path], { cwd: directory, encoding: 'utf8' }),
      ]),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const KEY = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIEowIBAAKCAQEAplanted',
  '-----END RSA PRIVATE KEY-----',
].join('\n');

/** One of each kind that a node has. */
const SECRETS = {
  token: '0123456789abcdef',
  certificateKey: `${'c0ffee'.repeat(10)}c0ff`,
  privateKey: 'MIIEowIBAAKCAQEAplanted',
  clientKey: Buffer.from(KEY).toString('base64'),
  bearer: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ',
  proxyPassword: 'pr0xy-Passw0rd',
  registryAuth: 'dXNlcjpyZWdpc3RyeS1wYXNz',
  registryPassword: 'registry pass phrase',
  userPassword: '$6$salt$hashhashhash',
  enrolment: 'swt_enr0lment',
  cloudKey: 'wJalrXUtnFEMI/K7MDENG/planted',
};

function plant(): void {
  const log = `joining with abcdef.${SECRETS.token}
${KEY}
Authorization: Bearer ${SECRETS.bearer}
export AWS_SECRET_ACCESS_KEY=${SECRETS.cloudKey}
curl --proxy-user user:${SECRETS.proxyPassword} and the key ${SECRETS.certificateKey} once more
user alice has ${SECRETS.userPassword}, the registry ${SECRETS.registryPassword}, ${SECRETS.registryAuth}
the last line is here
`;
  machine.put('/var/log/cloud-init-output.log', log);
  machine.put(
    JOURNAL,
    `{"message":"token abcdef.${SECRETS.token}"}\n{"ms":1,"noted":{"machine":"0f1e2d3c4b5a69788796a5b4c3d2e1f0","seed":null},"later":2}\n`,
  );
  machine.put('/var/log/pods/kube-system_etcd-a_1/etcd/0.log', log);
  machine.put('/var/log/pods/default_app_1/app/0.log', 'of a user');
  machine.put(
    '/run/kubeadm/kubeadm.yaml',
    `kind: JoinConfiguration\ncertificateKey: ${SECRETS.certificateKey}\ndiscovery: {bootstrapToken: {token: abcdef.${SECRETS.token}}}\n`,
  );
  machine.put(
    '/etc/kubernetes/kubelet.conf',
    `users:\n- user:\n    client-key-data: ${SECRETS.clientKey}\n    token: ${SECRETS.bearer}\n`,
  );
  machine.put('/etc/kubernetes/pki/ca.key', KEY);
  machine.put('/etc/slipway/proxy.env', `HTTPS_PROXY="http://user:${SECRETS.proxyPassword}@proxy:3128"\n`);
  machine.put(
    '/etc/containerd/config.toml',
    `[a.auth]\nusername = "u"\npassword = "${SECRETS.registryPassword}"\nauth = "${SECRETS.registryAuth}"\n`,
  );
  machine.put(
    '/var/lib/cloud/seed/nocloud/user-data',
    `users: [{name: alice, passwd: ${SECRETS.userPassword}}]\nruncmd:\n- export AWS_SECRET_ACCESS_KEY=${SECRETS.cloudKey}\n`,
  );
  machine.put('/proc/cmdline', `quiet slipway.report.controller.token=${SECRETS.enrolment} splash\n`);
  const every = Object.values(SECRETS).join(' ');
  for (const [name, text] of Object.entries({ crictl: every, journalctl: log, ss: every, ip: every }))
    machine.put(`/bin/${name}`, `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`, 0o755);
}

describe('what is collected', () => {
  test('has no secret of any kind in it, and tells what else there was', async () => {
    plant();
    const { archive, missing } = await run();
    const files = unpack(archive);
    const told = JSON.stringify(files);
    for (const [kind, secret] of Object.entries(SECRETS)) expect(told.includes(secret), kind).toBe(false);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        ...['README.txt', 'slipway/journal.jsonl', 'cloud-init/cloud-init-output.log', 'units/kubelet.log'],
        ...[
          'kubernetes/kubeadm.yaml',
          'containerd/config.toml',
          'containers/etcd-a/etcd-0.log',
          'containers/ps.txt',
        ],
      ]),
    );
    expect(files['cloud-init/cloud-init-output.log']).toMatch(/joining with abcdef\.\[redacted\]/);
    expect(files['cloud-init/cloud-init-output.log']).toMatch(/the last line is here/);
    expect(files['containerd/config.toml']).toMatch(/username = "u"/);
    expect(files['slipway/journal.jsonl']).toContain('{"ms":1,"later":2}');
    expect(told).not.toContain('of a user');
    expect(missing).toContain('slipway/outcome.json: not there');
    expect(files['README.txt']).toContain('slipway/outcome.json: not there');
  });

  test("asks containerd's own tool where there is no crictl", async () => {
    machine.put('/bin/ctr', '#!/bin/sh\necho "ctr $*"\n', 0o755);
    const files = unpack((await run()).archive);
    expect(files['containers/images.txt']).toMatch(/^ctr --namespace k8s\.io images ls$/m);
  });

  test('has no key of another directory of certificates in it', async () => {
    machine.put(
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      '    - --kubelet-client-certificate=/srv/pki/apiserver-kubelet-client.crt\n',
    );
    machine.put('/srv/pki/etcd/server.key', KEY);
    machine.put('/var/log/cloud-init-output.log', `without its frame: ${SECRETS.privateKey}\n`);
    const text = unpack((await run()).archive)['cloud-init/cloud-init-output.log'];
    expect(text).toBe('without its frame: [redacted]\n');
  });

  test('is bounded in time: what is slow is left out, and named', async () => {
    plant();
    for (const name of ['crictl', 'journalctl'])
      machine.put(`/bin/${name}`, '#!/bin/sh\nexec sleep 60\n', 0o755);
    const { archive, missing } = await run(700);
    expect(missing).toContain('units/kubelet.log: not within 0.7 s');
    expect(unpack(archive)['cloud-init/cloud-init-output.log']).toBeUndefined();
    expect(unpack(archive)['slipway/journal.jsonl']).toBeDefined();
  });

  test('is bounded in size, and the end of a log is what stays', async () => {
    machine.put('/var/log/cloud-init-output.log', `${`${'x'.repeat(99)}\n`.repeat(30_000)}the end\n`);
    const text = unpack((await run()).archive)['cloud-init/cloud-init-output.log'] ?? '';
    expect(text.length).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/^x{99}\n/);
    expect(text).toMatch(/the end\n$/);
  });

  test('follows no link below /var/log/pods, and takes no log under a strange name', async () => {
    machine.put('/etc/victim/0.log', 'only for root\n');
    machine.put('/var/log/pods/kube-system_etcd-a_1/etcd/0.log', 'of etcd\n');
    const at = (path: string): string => join(machine.root.path, 'var/log/pods', path);
    const links = {
      'kube-system_etcd-a_1/etcd/1.log': '/etc/victim/0.log',
      'kube-system_etcd-a_1/folder': '/etc/victim',
      'kube-system_pod-a_2': '/var/log/elsewhere',
    };
    machine.put('/var/log/elsewhere/x/0.log', 'only for root\n');
    for (const [path, target] of Object.entries(links)) symlinkSync(target, at(path));
    mkdirSync(at('kube-system_pod-b_3/hard'), { recursive: true });
    linkSync(join(machine.root.path, 'etc/victim/0.log'), at('kube-system_pod-b_3/hard/0.log'));
    for (const name of ['kube-system_.._4', 'kube-system_..', 'kube-system_/..', 'kube-system_a\nb_5'])
      machine.put(`/var/log/pods/${name}/x/0.log`, 'climbs\n');
    machine.put('/var/log/pods/kube-system_pod-c_6/\u001b[2J/0.log', 'climbs\n');
    const { archive, missing } = await run();
    const names = execFileSync('tar', ['-tf', '-'], {
      input: zstdDecompressSync(archive),
      encoding: 'utf8',
    }).split('\n');
    expect(names.filter((name) => name.split('/').includes('..'))).toEqual([]);
    const files = unpack(archive);
    expect(Object.keys(files).filter((path) => path.includes('0.log') || path.includes('1.log'))).toEqual([
      'containers/etcd-a/etcd-0.log',
    ]);
    const told = JSON.stringify(files);
    expect([told.includes('only for root'), told.includes('climbs')]).toEqual([false, false]);
    expect(missing).toContainEqual(
      expect.stringMatching(/^containers\/etcd-a\/etcd-1\.log: .* is a symbolic link$/),
    );
  });

  test('waits for no pipe in a home, and reads what nearly matches in one go', async () => {
    machine.put('/home/alice/.docker/config.json', '--a-'.repeat(45_000));
    machine.put('/home/bob/.docker/x', '');
    execFileSync('mkfifo', [`${machine.root.path}/home/bob/.docker/config.json`]);
    expect(Object.keys(unpack((await run()).archive))).toContain('README.txt');
  });

  test('takes some secrets of a home, and nothing more that its user wants cut out or read', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `"password": "planted-${at}-of-alice"`).join(',\n');
    machine.put('/home/alice/.docker/config.json', `{${many},\n"tokenFile": "/etc/words"}`);
    machine.put('/home/bob/.docker/config.json', '{"auth": "cGxhbnRlZC1vZi1ib2I="}');
    machine.put('/etc/words', 'some words of a log');
    const log = 'planted-0-of-alice cGxhbnRlZC1vZi1ib2I= planted-999-of-alice some words of a log';
    machine.put('/var/log/cloud-init-output.log', `${log}\n`);
    const text = unpack((await run()).archive)['cloud-init/cloud-init-output.log'];
    expect(text).toBe('[redacted] [redacted] planted-999-of-alice some words of a log\n');
  });

  test('of a bare machine is an archive all the same', async () => {
    expect(Object.keys(unpack((await run()).archive))).toContain('README.txt');
  });
});

describe('settings', () => {
  test.each([
    ['token: abc def', 'token: [redacted]'],
    ['{"auth": "YWJj", "url": "a"}', '{"auth": [redacted], "url": "a"}'],
    ['  tlsBootstrapToken: "x"', '  tlsBootstrapToken: [redacted]'],
    ['secret: true', 'secret: true'],
    ['token: ""', 'token: ""'],
    ['authorization-mode: Node,RBAC', 'authorization-mode: Node,RBAC'],
    ['tokenTTL: 24h0m0s', 'tokenTTL: 24h0m0s'],
    ['client-key: /etc/pki/a.key', 'client-key: /etc/pki/a.key'],
  ])('%j', (text, wanted) => {
    expect(redactSettings(text)).toBe(wanted);
  });

  test('with names of secrets give their values', () => {
    expect(secretsIn('a: 1\npassword: "hunter22"\nproxy=http://u:p%40ssword@h\n')).toEqual(
      expect.arrayContaining(['hunter22', 'p%40ssword', 'p@ssword']),
    );
  });
});

test('no name of an archive leads out of where it is unpacked', () => {
  const paths = [
    '/etc/a',
    '../b',
    'c/../../d',
    './e',
    'f//g',
    '..',
    `${'x/'.repeat(20)}../${'y'.repeat(97)}`,
  ];
  const content = Buffer.from('text');
  const archive = tar(
    paths.map((path) => ({ path, content })),
    0,
  );
  const names = execFileSync('tar', ['-tPf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n');
  expect(names.slice(0, 6)).toEqual(['etc/a', '__/b', 'c/__/__/d', 'e', 'f/g', '__']);
  expect(names.filter((name) => name.startsWith('/') || name.split('/').includes('..'))).toEqual([]);
});

test('long names and the time are as tar has them', () => {
  const long = `${'d'.repeat(90)}/${'e'.repeat(60)}/file.txt`;
  const archive = tar([{ path: long, content: Buffer.from('text') }], 1_700_000_000);
  const listing = execFileSync('tar', ['-tvf', '-'], {
    input: archive,
    encoding: 'utf8',
    env: { TZ: 'UTC', PATH: process.env.PATH },
  });
  expect(listing.trim()).toBe(`-rw------- root/root         4 2023-11-14 22:13 ${long}`);
});
