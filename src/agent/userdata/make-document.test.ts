import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document, KubeadmCommand } from '../document/document.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readDocument } from './fixtures/read-document.ts';
import { fixture } from './fixtures/read-json.ts';
import { readUserData } from './read-user-data.ts';

const INSTANCE = {
  metaData: { 'instance-id': 'i-1', 'local-hostname': 'node-1.example.test' },
  source: 'nocloud',
};

const read = (text: string | Buffer): Document => readDocument(Buffer.from(text), INSTANCE);
const cloudConfig = (text: string): Document => read(`#cloud-config\n${text}`);
const contents = (document: Document): Record<string, string> =>
  Object.fromEntries(
    document.files.map((file) => [file.path, Buffer.from(file.content.reveal()).toString('utf8')]),
  );

describe('documents as Cluster API renders them', () => {
  test('control plane init', () => {
    const document = read(fixture('init.yaml'));
    expect(document.report).toEqual([]);
    expect(document.instance).toEqual({ id: 'i-1', source: 'nocloud' });
    expect(document.hostname).toEqual({ name: 'node-1', fqdn: 'node-1.example.test' });
    expect(document.files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ['/etc/kubernetes/pki/ca.crt', '640'],
      ['/etc/kubernetes/pki/ca.key', '600'],
      ['/etc/kubernetes/pki/etcd/ca.crt', '640'],
      ['/etc/kubernetes/pki/etcd/ca.key', '600'],
      ['/etc/kubernetes/pki/front-proxy-ca.crt', '640'],
      ['/etc/kubernetes/pki/front-proxy-ca.key', '600'],
      ['/etc/kubernetes/pki/sa.pub', '640'],
      ['/etc/kubernetes/pki/sa.key', '600'],
      ['/run/kubeadm/kubeadm.yaml', '640'],
      ['/run/cluster-api/placeholder', '640'],
    ]);
    expect(contents(document)['/run/kubeadm/kubeadm.yaml']).toContain(
      "  name: 'node-1.example.test'\n  taints: null\n",
    );
    expect(contents(document)['/etc/kubernetes/pki/ca.key']).toMatch(
      /^-----BEGIN RSA PRIVATE KEY-----\n[\s\S]*-----END RSA PRIVATE KEY-----\n$/,
    );
    expect(document.commands.map(({ kind }) => kind)).toEqual(['command', 'command', 'kubeadm', 'command']);
    const [hostnamectl, printf] = document.commands;
    expect(hostnamectl?.kind === 'command' && hostnamectl.shell.reveal()).toBe(
      'hostnamectl set-hostname "node-1.example.test"',
    );
    expect(printf?.kind === 'command' && printf.shell.reveal()).toBe(
      'printf \'%s\\n\' "café" > /run/greeting',
    );
    expect(document.commands[2]).toMatchObject({
      verb: 'init',
      configPath: '/run/kubeadm/kubeadm.yaml',
      sentinel: '/run/cluster-api/bootstrap-success.complete',
      where: { line: 222, column: 5 },
    });
  });

  test('control plane join', () => {
    const document = read(fixture('join-control-plane.yaml'));
    expect(document.report).toEqual([]);
    expect(document.files).toHaveLength(10);
    const [join] = document.commands as KubeadmCommand[];
    expect(join).toMatchObject({ kind: 'kubeadm', verb: 'join' });
  });

  test('worker join with everything that Cluster API can ask for', () => {
    const document = read(fixture('join-worker.yaml'));
    // The provider writes `inactive: false` and a number as partition; cloud-init's schema has other types there.
    expect(document.report.map(({ severity, where }) => [severity, where?.line])).toEqual([
      ['warning', 42],
      ['warning', 61],
    ]);
    expect(document.bootCommands.map((command) => command.shell.reveal())).toEqual(['swapoff -a']);
    expect((document.commands[1] as KubeadmCommand).args.reveal()).toContain('5');
    expect(document.ntp).toMatchObject({
      enabled: true,
      servers: ['ntp1.example.test', '192.0.2.7'],
      pools: [],
    });
    expect(document.users).toMatchObject([
      {
        name: 'capi',
        gecos: 'Cluster Operator',
        groups: ['docker', 'wheel'],
        primaryGroup: 'capi',
        homedir: '/home/capi',
        shell: '/bin/bash',
        lockPassword: false,
        sudo: ['ALL=(ALL) NOPASSWD:ALL'],
      },
    ]);
    expect(document.users[0]?.inactive).toBeUndefined();
    expect(document.users[0]?.initialPasswordHash?.reveal()).toBe('$6$rounds=4096$salt$hashhashhash');
    expect(document.disks).toMatchObject([
      {
        device: '/dev/sdb',
        tableType: 'gpt',
        overwrite: false,
        layout: [{ percent: 50, code: '8e' }, { percent: 30, code: '82' }, { percent: 20 }],
      },
    ]);
    expect(document.filesystems).toMatchObject([
      {
        device: '/dev/sdb',
        partition: '1',
        filesystem: 'ext4',
        label: 'etcd_disk',
        options: ['-E', 'lazy_itable_init=1,lazy_journal_init=1'],
      },
    ]);
    expect(document.mounts.map(({ fields }) => fields)).toEqual([
      ['LABEL=etcd_disk', '/var/lib/etcddisk', 'auto', 'defaults,nofail,_netdev', '0', '2'],
    ]);
  });
});

test('what a document holds cannot be printed', () => {
  const shown = JSON.stringify(read(fixture('join-worker.yaml')));
  for (const secret of ['abcdef.0123456789abcdef', 'hashhashhash']) expect(shown).not.toContain(secret);
});

describe('scripts and several parts', () => {
  test('a script is one command that runs it under its own interpreter', () => {
    const document = read('#!/bin/bash -e\necho $0\nexit 3');
    const [command] = document.commands;
    const shell = command?.kind === 'command' ? command.shell.reveal() : '';
    expect(document.report).toEqual([]);
    expect(document.commands).toHaveLength(1);
    expect(shell).toContain('#!/bin/bash -e\necho $0\nexit 3\n');
  });

  test.each([
    ['rem cmd\nkubeadm join\n', ['part-001.cmd', 'rem cmd\nkubeadm join\n']],
    ['#ps1_sysnative\r\nWrite-Host hi\r\n', ['part-001.ps1', '#ps1_sysnative\nWrite-Host hi\n']],
    ['#ps1_x86\nexit 1003\n', ['part-001.ps1', '#ps1_x86\nexit 1003\n']],
    [
      '<powershell>\nexit 1003\n</powershell>\n<script>echo a\necho b</script><persist>true</persist>',
      ['part-001.cmd', 'rem cmd\necho a\necho b\n'],
      ['part-001.ps1', '#ps1\nexit 1003\n'],
    ],
  ])('scripts for Windows stay as they are: %j', (text, ...commands) => {
    const document = read(text);
    expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(
      document.commands.map((entry) => entry.kind === 'command' && [entry.program, entry.shell.reveal()]),
    ).toEqual(commands);
  });

  test.each([
    ['<powershell>\nexit 0\n', 1],
    ['<script>\necho "<powershell>"\n</script>\n<powershell>\nexit 0\n</script>\n', 4],
    ['<script>\necho\n</script>\n<!-- a -->\n  <powershell>\nexit 0\n', 5],
  ])('a section for Windows that nothing closes is told by its tag: %j', (text, line) => {
    expect(read(text).report).toMatchObject([
      {
        ...{ code: 'UserDataInvalid', where: { line } },
        message: expect.stringContaining('<powershell> without </powershell>'),
      },
    ]);
  });

  test.each([
    '# no <script> here\n',
    '<!-- <script> -->\n',
    '<!--\n<script>\n-->\n<persist>true</persist>\n',
  ])('a tag between sections for Windows that begins none is no section: %j', (behind) => {
    const { report } = read(`<powershell>\nexit 0\n</powershell>\n${behind}`);
    expect(report.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test.each(['<html><script>alert(1)</script>', '#ps1x\n', '<script></script>'])(
    '%j is no script for Windows',
    (text) => {
      expect(read(text).report[0]?.code).toBe('UserDataFormatUnknown');
    },
  );

  test.each([
    [
      '## template: jinja\nruncmd: [ls]\n',
      'UserDataFormatUnknown',
      /its first line must be #cloud-config/,
      2,
    ],
    [
      '## template: jinja\n{% if false %}\n#cloud-config\n{% endif %}\n',
      'UserDataEmpty',
      /The template renders to nothing/,
      4,
    ],
  ])('a template of which nothing known comes: %j', (text, code, message, line) => {
    expect(read(text).report).toMatchObject([
      { severity: 'error', code, message: expect.stringMatching(message), where: { line } },
    ]);
  });

  test('what is wrong in one of several cloud-configs has its line in that one, and its name', () => {
    const bad = Buffer.from('#cloud-config\nwrite_files:\n- content: x\n').toString('base64');
    const { report } = read(
      [
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n',
        '--B\nContent-Type: text/cloud-config\n\nusers:\n- shell: /bin/sh',
        `--B\nContent-Type: text/cloud-config\nContent-Transfer-Encoding: base64\n\n${bad}`,
        '--B--\n',
      ].join('\n'),
    );
    expect(report.map(({ message, where }) => [message, where])).toEqual([
      ['write_files: an item has no path.', { line: 3, column: 3, within: 'MIME part 2, decoded' }],
      [expect.stringMatching(/^users: an item has no name/), { line: 8, column: 3 }],
    ]);
  });

  test('the same in an archive', async () => {
    const archive = '#cloud-config-archive\n- "runcmd: [ls]"\n- "users:\\n- shell: /bin/sh"\n';
    const host = createLinuxHost({ root: '/' });
    const library = { host, instance: '', keeps: false, isOffline: true } as const;
    const { report } = await readUserData(
      Buffer.from(archive),
      { source: 'file', metaData: {} },
      { library },
    );
    expect(report).toMatchObject([
      {
        message: expect.stringMatching(/^users: an item has no name/),
        where: { line: 2, column: 3, within: 'entry 2 of the archive (at line 3)' },
      },
    ]);
  });

  test('scripts of each kind run in the order of their names', () => {
    const kinds = ['per-boot', 'per-once', 'per-instance'];
    const scripts = kinds.flatMap((kind) =>
      ['z', 'm', 'a'].map(
        (name) =>
          `--B\nContent-Type: text/x-shellscript-${kind}\nContent-Disposition: attachment; filename=${name}\n\n#!/bin/sh\n${kind} ${name}`,
      ),
    );
    const head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n';
    const { bootScripts = [], commands } = read([head, ...scripts, '--B--\n'].join('\n'));
    const shells = [...bootScripts, ...commands].map((command) =>
      command.kind === 'command' ? command.shell.reveal() : '',
    );
    expect(shells.map((shell) => /per-\w+ [zma]/.exec(shell)?.[0])).toEqual(
      kinds.flatMap((kind) => ['a', 'm', 'z'].map((name) => `${kind} ${name}`)),
    );
  });

  test('a rendered script, jinja in a part, merging, the order of scripts', () => {
    const document = read(
      [
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n',
        '--B\nContent-Type: text/cloud-config\n\nruncmd: [old]\nhostname: kept',
        '--B\nContent-Type: text/jinja2\n\n## template: jinja\n#cloud-config\nruncmd: ["run {{ v1.instance_id }}"]',
        '--B\nContent-Type: text/x-shellscript\nContent-Disposition: attachment; filename=zz.sh\n\n#!/bin/sh\nlast',
        '--B\nContent-Type: text/x-shellscript\n\n#!/bin/sh\nfirst',
        '--B\nContent-Type: text/cloud-boothook\n\n#cloud-boothook\n#!/bin/sh\nhook',
        '--B\nContent-Type: text/part-handler\n\n#part-handler\ndef list_types(): pass',
        '--B\nContent-Type: image/png\n\nx',
        '--B--\n',
      ].join('\n'),
    );
    const shells = document.commands.map((command) =>
      command.kind === 'command' ? command.shell.reveal() : '',
    );
    expect(shells.map((shell) => /first|last|run i-1/.exec(shell)?.[0])).toEqual([
      'first',
      'run i-1',
      'last',
    ]);
    expect(document.bootCommands[0]?.shell.reveal()).toContain('\n#!/bin/sh\nhook\n');
    expect(document.hostname?.name).toBe('kept');
    expect(document.report).toMatchObject([
      { severity: 'error', message: expect.stringContaining('text/part-handler: it is Python') },
      { severity: 'warning', message: expect.stringContaining('image/png; the part is ignored') },
      { severity: 'warning', message: expect.stringContaining('runcmd overrides that') },
    ]);
  });
});

test('all errors are listed, each with its place', () => {
  const document = cloudConfig(
    'write_files:\n- content: x\n- path: /a\n  permissions: rwx\nruncmd:\n- 5\n- a: b\nunknown: 1\n',
  );
  expect(
    document.report.map(
      ({ severity, code, message, where }) =>
        `${severity} ${where?.line}:${where?.column} ${message} [${code}]`,
    ),
  ).toEqual([
    'error 3:3 write_files: an item has no path. [UserDataInvalid]',
    "error 5:16 write_files: permissions must be an octal mode in quotes, such as '0640'. [UserDataInvalid]",
    'error 7:3 runcmd: a command must be a string or a list of strings, not a number. [UserDataInvalid]',
    'error 8:3 runcmd: a command must be a string or a list of strings, not a mapping. A line that contains ": " must be quoted. [UserDataInvalid]',
    'warning 9:1 unknown is not known; it is ignored. [UserDataIgnoredKey]',
  ]);
});

const SECRET = 'hunter2.0123456789abcdef';
const PLACES = [
  'a: b: SECRET',
  'write_files: SECRET',
  'runcmd: {x: SECRET}',
  'users: [{name: "SECRET:x"}]',
  'mounts: [SECRET]',
  'ntp: SECRET',
  'write_files: [{path: /a, permissions: SECRET}]',
  'write_files: [{path: /a, encoding: SECRET, content: x}]',
  'write_files: [{path: /a, encoding: b64, content: "SECRET"}]',
  'hostname: [SECRET]',
  'users: [{name: a, uid: SECRET}]',
  'fs_setup: [{filesystem: "SECRET x"}]',
  'disk_setup: {/dev/a: SECRET}',
  '"SECRET',
  'a: "SECRET\\q"',
  'a: !SECRET x',
];

test.each(PLACES)('a value is never quoted in a message: %s', (text) => {
  for (const header of ['#cloud-config\n', '## template: jinja\n#cloud-config\n']) {
    const document = read(header + text.replace('SECRET', SECRET));
    expect(document.report.length).toBeGreaterThan(0);
    expect(JSON.stringify(document.report)).not.toContain(SECRET);
  }
});

describe('whatever the bytes are, there is a document, soon', () => {
  const pieces = fc.constantFrom(
    '#cloud-config\n',
    '## template: jinja\n',
    'write_files:\n',
    '- ',
    'path: /a\n',
    '  content: |\n',
    '    x\n',
    'runcmd:\n',
    '{{ ',
    ' }}',
    '{% for i in ',
    ' %}',
    '{% endfor %}',
    'range(99)',
    '|',
    'upper',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ': ',
    ', ',
    '&a ',
    '*a',
    '!!int ',
    '\n',
    '\t',
    '\\',
    '0x',
    'é',
    '\0',
    '\r',
    '\u2028',
    'MIME-Version: 1.0\n',
    'Content-Type: multipart/mixed; boundary=B\n\n',
    '--B\n',
    '--B--\n',
    'users:\n',
    'mounts: ',
    'disk_setup: ',
    'fs_setup:\n',
    '- - ',
  );
  const check = (bytes: Uint8Array): void => {
    const document = readDocument(Buffer.from(bytes), INSTANCE);
    expect(Array.isArray(document.report)).toBe(true);
  };

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 4096 }), check), { numRuns: 1000 });
  });

  test('random cloud-config', () => {
    const text = fc.array(
      fc.oneof({ weight: 4, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 4 })),
      { maxLength: 60 },
    );
    const headed = fc.tuple(
      fc.constantFrom('', '#cloud-config\n', '## template: jinja\n#cloud-config\n'),
      text,
    );
    fc.assert(
      fc.property(headed, ([header, parts]) => check(Buffer.from(header + parts.join('')))),
      { numRuns: 3000 },
    );
  });

  test('real documents with damage', () => {
    const whole = fixture('join-worker.yaml');
    const damage = fc.tuple(
      fc.nat(whole.length - 1),
      fc.nat(20),
      fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 3 })),
    );
    fc.assert(
      fc.property(damage, ([at, length, text]) => {
        check(Buffer.concat([whole.subarray(0, at), Buffer.from(text), whole.subarray(at + length)]));
      }),
      { numRuns: 1000 },
    );
  });
});

test("the cloud's own names of disks lead to its devices, and the user's names win", () => {
  const text =
    '#cloud-config\nfs_setup: [{device: ephemeral0.1, filesystem: ext4}]\nmounts: [[mine, /m]]\ndevice_aliases: {mine: /dev/sdz}\n';
  const aliases = { ephemeral0: '/dev/disk/cloud/azure_resource', mine: '/dev/sdy' };
  const document = readDocument(Buffer.from(text), { ...INSTANCE, deviceAliases: aliases });
  expect(document.report).toEqual([]);
  expect(document.filesystems).toMatchObject([{ device: '/dev/disk/cloud/azure_resource' }]);
  expect(JSON.stringify(document.mounts)).toContain('"/dev/sdz"');
});

test.each([
  [
    'write_files:\n- {path: /etc/a, content: x}\n- {path: /etc/ab}\n- {path: /etc/a/b, defer: true}\n',
    '5:3 /etc/a/b is below /etc/a (user data line 3, column 3), which is written as a file.',
  ],
  [
    'write_files:\n- {path: /etc/a/b/c}\n- {path: //etc//a, append: true}\n',
    '3:3 /etc/a/b/c is below /etc/a (user data line 4, column 3), which is written as a file.',
  ],
])('paths that cannot both be are an error that names both: %j', (text, told) => {
  const { report } = cloudConfig(text);
  expect(report.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`)).toEqual([told]);
});
