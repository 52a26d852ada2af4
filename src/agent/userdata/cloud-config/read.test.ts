import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../document/document.ts';
import { readDocument } from '../fixtures/read-document.ts';

const read = (text: string, metaData: Record<string, unknown> = {}): Document =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData, source: 'nocloud' });
const errors = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const warnings = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
/** A call of kubeadm without its place. */
function shown(command: Document['commands'][number] | undefined): unknown {
  if (command?.kind !== 'kubeadm') return command;
  const { where: _, args, ...rest } = command;
  return { ...rest, args: args.reveal() };
}
const b64 = (data: string | Buffer): string => Buffer.from(data).toString('base64');

describe('write_files', () => {
  const zipped = gzipSync('zipped\n');
  test.each([
    ['content: x', 'x'],
    ["content: ''", ''],
    ['content:', ''],
    ['append: true', ''],
    ['content: |\n    a\n\n\n', 'a\n'],
    [`encoding: b64\n  content: ${b64('text')}`, 'text'],
    [`encoding: base64\n  content: |\n    ${b64('text')}\n`, 'text'],
    [`encoding: B64\n  content: "${b64('text')}"`, 'text'],
    ['encoding: b64\n  content: !!binary dGV4dA==', 'm1b'],
    [`encoding: gz+base64\n  content: ${b64(zipped)}`, 'zipped\n'],
    [`encoding: gzip+base64\n  content: ${b64(zipped)}`, 'zipped\n'],
    [`encoding: gz+b64\n  content: ${b64(zipped)}`, 'zipped\n'],
    [`encoding: gzip+b64\n  content: ${b64(zipped)}`, 'zipped\n'],
    [`encoding: gzip\n  content: !!binary ${b64(zipped)}`, 'zipped\n'],
    [`encoding: gz\n  content: !!binary ${b64(zipped)}`, 'zipped\n'],
    ['encoding: text/plain\n  content: x', 'x'],
    ['encoding: rot13\n  content: x', 'x'],
  ])('%j', (lines, content) => {
    const document = read(`write_files:\n- path: /a\n  ${lines}\n`);
    const bytes = Buffer.from(document.files[0]?.content.reveal() ?? 'missing');
    if (content === 'm1b') expect(bytes).toEqual(Buffer.from('text', 'base64'));
    else expect(bytes.toString()).toBe(content);
    expect(errors(document)).toEqual([]);
  });

  test('defaults', () => {
    expect(read('write_files: [{path: /a}]').files).toMatchObject([
      {
        path: '/a',
        mode: 0o644,
        owner: 'root:root',
        append: false,
        defer: false,
        where: { line: 2, column: 15 },
      },
    ]);
  });

  test.each([
    ["'0640'", 0o640],
    ['0640', 0o640],
    ['416', 0o640],
    ["'640'", 0o640],
    ["'0o755'", 0o755],
    ["'4755'", 0o4755],
    ['0.0', 0],
    ['~', 0o644],
  ])('permissions %s', (permissions, mode) => {
    const document = read(`write_files: [{path: /a, permissions: ${permissions}}]`);
    expect([document.files[0]?.mode, errors(document)]).toEqual([mode, []]);
  });

  test('a mode without quotes and zero is a warning', () => {
    const document = read('write_files: [{path: /a, permissions: 644}]');
    expect(document.files[0]?.mode).toBe(0o1204);
    expect(warnings(document)[0]).toContain("mode 1204; write '0644'");
  });

  test.each([
    ['nobody', 'nobody:root'],
    ['a:b', 'a:b'],
    ["':b'", 'root:b'],
    ["'a:'", 'a:root'],
    ["'1000:1001'", '1000:1001'],
    ['none:b', 'root:b'],
    ["'-1:-1'", 'root:root'],
    ['~', 'root:root'],
    ['0', 'root:root'],
  ])('owner %s', (owner, result) => {
    expect(read(`write_files: [{path: /a, owner: ${owner}}]`).files[0]?.owner).toBe(result);
  });

  test.each([
    ['/a/../b//c', '/b/c'],
    ['a/b', '/a/b'],
  ])('path %s', (path, result) => {
    expect(read(`write_files: [{path: ${path}}]`).files[0]?.path).toBe(result);
  });

  test.each([
    ['write_files: x', 'must be a list'],
    ['write_files: [x]', 'must be a mapping'],
    ['write_files: [~]', 'must be a mapping'],
    ['write_files: [{content: x}]', 'no path'],
    ['write_files: [{path: 5}]', 'path must be a string'],
    [`write_files: [{path: /${'n'.repeat(256)}}]`, 'longer than Linux allows'],
    [`write_files: [{path: ${'/n'.repeat(2048)}}]`, 'longer than Linux allows'],
    ['write_files: [{path: /a/}]', 'not a directory'],
    ['write_files: [{path: /a, content: 5}]', 'content must be a string'],
    ['write_files: [{path: /a, content: [x]}]', 'content must be a string'],
    ['write_files: [{path: /a, permissions: rw-r--r--}]', 'octal'],
    ["write_files: [{path: /a, permissions: '0999'}]", 'octal'],
    ["write_files: [{path: /a, permissions: '077777'}]", 'octal'],
    ['write_files: [{path: /a, permissions: true}]', 'octal'],
    ['write_files: [{path: /a, owner: 5}]', 'owner must be a string'],
    ['write_files: [{path: /a, append: maybe}]', 'true or false'],
    ['write_files: [{path: /a, encoding: b64, content: abcde}]', 'the encoding is base64, but'],
    ['write_files: [{path: /a, encoding: gz, content: text}]', 'not gzip'],
    ['write_files: [{path: /a, source: {uri: "ftp://x"}}]', 'uri must be a'],
  ])('%s', (text, word) => {
    expect(errors(read(text))[0]).toContain(word);
  });
});

describe('runcmd and bootcmd', () => {
  test('as cloud-init writes them into its script', () => {
    const items = [
      'ls -l | wc',
      '[ls, "it\'s", 1, 1.50, true, null, 0640, 2024-01-01]',
      '',
      '|\n  a\n  b\n',
      "'x'",
    ];
    const document = read(`bootcmd:\n${items.map((item) => `- ${item}\n`).join('')}`);
    expect(document.bootCommands.map((command) => command.shell.reveal())).toEqual([
      'ls -l | wc',
      "'ls' 'it'\\''s' '1' '1.5' 'True' 'None' '416' '2024-01-01'",
      'a\nb\n',
      'x',
    ]);
    expect(document.bootCommands.map((command) => command.program)).toEqual(['ls', 'ls', 'a', 'x']);
    expect(errors(document)).toEqual([]);
    expect(warnings(document)).toEqual([
      expect.stringContaining('bootcmd.1.2 must be a string'),
      expect.stringContaining('bootcmd.2 is empty'),
    ]);
  });

  test.each([
    'kubeadm join 192.0.2.1:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:0',
    'kubeadm join --config /etc/kubeadm.yaml --v 5',
    'kubeadm join 192.0.2.1:6443 --control-plane --certificate-key 0 --token abcdef.0123456789abcdef',
    '/usr/bin/kubeadm init --config=/etc/kubeadm.yaml --upload-certs',
    'kubeadm init --pod-network-cidr 192.168.0.0/16',
  ])('%s is taken over as a line and as a list', (line) => {
    const list = line.split(' ').map((word) => (/^\d$/.test(word) ? Number(word) : word));
    const [asLine, asList, ...rest] = read(`runcmd: ${JSON.stringify([line, list])}`).commands;
    expect(rest).toEqual([]);
    expect(asList).toMatchObject({ kind: 'kubeadm' });
    expect(shown(asList)).toEqual(shown(asLine));
  });

  test('a word of a list is taken as it is', () => {
    const list = ['kubeadm', 'join', '--node-name', "it's $HOME", '--config', '/a b', '&&', 'reboot'];
    expect(shown(read(`runcmd: ${JSON.stringify([list])}`).commands[0])).toMatchObject({
      configPath: '/a b',
      args: list.slice(2),
    });
  });

  test.each([
    [['kubeadm', 'join', '--dry-run', '--config', '/a'], 0],
    [['kubeadm', 'init', 'phase', 'certs', 'all'], 0],
    [['kubeadm', 'reset', '-f'], 0],
    [['/home/me/kubeadm', 'join', '--config', '/a'], 1],
    [['A=b', 'kubeadm', 'join', '--config', '/a'], 1],
    [['sudo', '-u', 'admin', 'kubeadm', 'join', '--config', '/a'], 1],
    [['sh', '-c', 'kubeadm join --config /a'], 1],
    [[], 0],
  ])('the list %j is left to the shell', (list, warnings) => {
    const { commands, report } = read(`runcmd: ${JSON.stringify([list])}`);
    expect(commands).toMatchObject([{ kind: 'command' }]);
    expect(report.map(({ code }) => code)).toEqual(Array(warnings).fill('KubeadmNotTakenOver'));
  });

  test.each([
    ['TOKEN=secret curl x', 'sh'],
    ['"$(cat /secret)"', 'sh'],
    ['/usr/bin/env x', '/usr/bin/env'],
    ['  systemctl  x', 'systemctl'],
  ])('the program of %s is shown as %s', (shell, program) => {
    expect(read(`runcmd: [${JSON.stringify(shell)}]`).commands[0]).toMatchObject({ program });
  });

  test.each([
    ['runcmd: ls', 'list of commands'],
    ['runcmd: [5]', 'string or a list'],
    ['runcmd: [{a: b}]', 'must be quoted'],
    ['runcmd: [[ls, [a]]]', 'argument of a command'],
    ['bootcmd: {a: b}', 'list of commands'],
  ])('%s', (text, word) => {
    expect(errors(read(text))[0]).toContain(word);
  });
});

describe('hostname', () => {
  const md = { 'local-hostname': 'meta.example.test' };
  test.each([
    ['', md, { name: 'meta', fqdn: 'meta.example.test' }],
    ['', { 'local-hostname': 'meta' }, { name: 'meta' }],
    ['', { 'local-hostname': '10.0.0.7' }, { name: 'ip-10-0-0-7' }],
    ['', {}, undefined],
    ['hostname: n1', {}, { name: 'n1' }],
    ['hostname: n1.example.test', {}, { name: 'n1', fqdn: 'n1.example.test' }],
    ['hostname: n1', md, { name: 'n1', fqdn: 'meta.example.test' }],
    ['hostname: n1', { 'local-hostname': 'meta' }, { name: 'n1', fqdn: 'meta' }],
    ['hostname: n1', { 'local-hostname': 'n1' }, { name: 'n1' }],
    ['fqdn: n1.example.test', {}, { name: 'n1', fqdn: 'n1.example.test' }],
    ['fqdn: n1.example.test\nhostname: n2', {}, { name: 'n2', fqdn: 'n1.example.test' }],
    ['preserve_hostname: true\nhostname: n1', md, undefined],
  ])('%j with %j', (text, metaData, hostname) => {
    const document = read(text, metaData);
    expect(document.hostname).toEqual(hostname);
    expect(errors(document)).toEqual([]);
  });

  test.each([
    'hostname: 5',
    'hostname: "a b"',
    'hostname: -a',
    'hostname: [a]',
    'fqdn: {}',
    'preserve_hostname: maybe',
  ])('%s', (text) => {
    expect(errors(read(text))).toHaveLength(1);
  });
});

test.each([
  ['landscape: {client: {}}', 'landscape is a distribution subscription'],
  ['ssh_import_id: ["gh:x"]', 'has no effect'],
  ['swap: {size: 1G}', 'kubelet does not start with swap'],
  ['reporting: {}', 'cloud-init'],
  ['constructor: x', 'constructor is not known'],
  ['write_files: [{path: /a, mode: x}]', 'mode is not known'],
])('%s is passed over with a warning', (text, word) => {
  const document = read(text);
  expect(errors(document)).toEqual([]);
  expect(document.report).toMatchObject([
    { severity: 'warning', code: 'UserDataIgnoredKey', where: { line: 2 } },
  ]);
  expect(warnings(document)[0]).toContain(word);
});

test.each(['[]', 'text', '- a'])('the root %s is refused', (text) => {
  expect(errors(read(text))[0]).toContain('must be a mapping');
});

test('an unknown key is told with the one that was probably meant', () => {
  expect(warnings(read('write_file: []\nfavourite: x\n'))).toEqual([
    'write_file is not known (was write_files meant?); it is ignored.',
    'favourite is not known; it is ignored.',
  ]);
});
