import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../../protocol/document.ts';
import { readDocument } from '../read-document.ts';

const read = (text: string, metaData: Record<string, unknown> = {}): Document =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData, source: 'nocloud' });
const errors = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const warnings = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
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
    ['write_files: [{path: /a/}]', 'not a directory'],
    ['write_files: [{path: /a, content: 5}]', 'content must be a string'],
    ['write_files: [{path: /a, content: [x]}]', 'content must be a string'],
    ['write_files: [{path: /a, permissions: rw-r--r--}]', 'octal'],
    ["write_files: [{path: /a, permissions: '0999'}]", 'octal'],
    ["write_files: [{path: /a, permissions: '077777'}]", 'octal'],
    ['write_files: [{path: /a, permissions: true}]', 'octal'],
    ['write_files: [{path: /a, owner: 5}]', 'owner must be a string'],
    ['write_files: [{path: /a, append: maybe}]', 'true or false'],
    ['write_files: [{path: /a, encoding: b64, content: abcde}]', 'not base64'],
    ['write_files: [{path: /a, encoding: gz, content: text}]', 'not gzip'],
    ['write_files: [{path: /a, source: {uri: "http://x"}}]', 'does not fetch'],
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
    expect(document.report).toEqual([]);
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
    ['runcmd: [[ls, [a]]]', 'word of a command'],
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

describe('users and groups', () => {
  test('forms and defaults', () => {
    const document = read(
      'users: [default, alice, {name: bob, system: yes, uid: 5, no-create-home: true, sudo: [a, b]}]\n',
    );
    expect(document.users).toMatchObject([
      { name: 'alice', groups: [], lockPassword: true, system: false, sudo: [] },
      { name: 'bob', system: true, uid: 5, noCreateHome: true, sudo: ['a', 'b'] },
    ]);
    expect(warnings(document)[0]).toContain('default user');
    expect(
      read('users: {carol: {shell: /bin/sh}, dave: true, eve: false}').users.map(({ name }) => name),
    ).toEqual(['carol', 'dave']);
  });

  test('groups', () => {
    expect(read('groups: [a, {b: [x, y]}, {c: z}, {b: [w]}]').groups).toEqual([
      { name: 'a', members: [] },
      { name: 'b', members: ['w', 'x', 'y'] },
      { name: 'c', members: ['z'] },
    ]);
    expect(read('groups: a, b').groups.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test.each([
    ['users: 5', 'must be a list'],
    ['users: [5]', 'mapping or a name'],
    ['users: [{name: -x}]', 'letters'],
    ["users: [{name: 'a:b'}]", 'letters'],
    ['users: [{gecos: x}]', 'no name'],
    ['users: [{name: a, uid: x}]', 'uid'],
    ['users: [{name: a, shell: "/bin/sh:x"}]', 'colon'],
    ['users: [{name: a, homedir: home}]', 'absolute'],
    ['users: [{name: a}, {name: a}]', 'given twice'],
    ['groups: 5', 'list of names'],
    ['groups: [{a: 5}]', 'members'],
  ])('%s', (text, word) => {
    expect(errors(read(text))[0]).toContain(word);
  });
});

describe('disks, filesystems, mounts, ntp', () => {
  test('disk_setup', () => {
    const document = read(
      'device_aliases: {data: /dev/vdb}\ndisk_setup:\n  data: {layout: [33, [66, 82]], overwrite: true}\n  /dev/vdc: {table_type: gpt, layout: true}\n',
    );
    expect(document.disks).toMatchObject([
      {
        device: '/dev/vdb',
        tableType: 'mbr',
        overwrite: true,
        layout: [{ percent: 33 }, { percent: 66, code: '82' }],
      },
      { device: '/dev/vdc', tableType: 'gpt', overwrite: false, layout: true },
    ]);
  });

  test('fs_setup', () => {
    expect(
      read(
        'fs_setup: [{device: /dev/sdb.2, filesystem: xfs, label: ""}, {device: /dev/sdc, filesystem: ext4, partition: 3}]',
      ).filesystems,
    ).toMatchObject([
      { device: '/dev/sdb', partition: '2', filesystem: 'xfs', extraOpts: [], overwrite: false },
      { device: '/dev/sdc', partition: '3', filesystem: 'ext4' },
    ]);
  });

  test('mounts', () => {
    const mounts =
      '[[sdb1, /a], [/dev/sdc, /b, ext4], [/dev/sdc, ~], ["nfs:/x", /c, nfs, ro, 1, 0], [LABEL=d, /d, ~, noatime]]';
    expect(read(`mounts: ${mounts}`).mounts.map(({ fields }) => fields)).toEqual([
      ['/dev/sdb1', '/a', 'auto', 'defaults,nofail,_netdev', '0', '2'],
      ['nfs:/x', '/c', 'nfs', 'ro', '1', '0'],
      ['LABEL=d', '/d', 'auto', 'noatime', '0', '2'],
    ]);
  });

  test('ntp', () => {
    expect(read('ntp:').ntp).toMatchObject({ enabled: true, servers: [], pools: [] });
    expect(read('ntp: {enabled: false, pools: [p.test]}').ntp).toMatchObject({
      enabled: false,
      pools: ['p.test'],
    });
    expect(read('').ntp).toBeUndefined();
  });

  test.each([
    ['disk_setup: x', 'mapping of devices'],
    ['disk_setup: {/dev/a: x}', 'must be a mapping'],
    ['disk_setup: {/dev/a: {table_type: bsd}}', 'mbr or gpt'],
    ['disk_setup: {/dev/a: {layout: [60, 60]}}', 'per cent'],
    ['disk_setup: {/dev/a: {layout: [x]}}', 'per cent'],
    ['fs_setup: x', 'must be a list'],
    ['fs_setup: [{filesystem: ext4}]', 'no device'],
    ['fs_setup: [{device: /dev/a}]', 'filesystem'],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, partition: x}]', 'partition'],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, cmd: x}]', 'cmd'],
    ['mounts: x', 'list of lists'],
    ['mounts: [x]', 'list of one to six'],
    ['mounts: [[]]', 'list of one to six'],
    ['ntp: x', 'must be a mapping'],
    ['ntp: {servers: ["a b"]}', 'host names'],
  ])('%s', (text, word) => {
    expect(errors(read(text)).join()).toContain(word);
  });
});

test.each([
  ['growpart: {mode: auto}', 'growpart is not supported'],
  ['packages: [x]', 'the network'],
  ['swap: {size: 1G}', 'swap is not supported'],
  ['final_message: hi', 'cloud-init'],
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
