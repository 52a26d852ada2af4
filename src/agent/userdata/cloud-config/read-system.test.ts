import { describe, expect, test } from 'vitest';
import type { Document } from '../../document/document.ts';
import { readDocument } from '../fixtures/read-document.ts';

const read = (text: string, metaData: Record<string, unknown> = {}): Document =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData, source: 'nocloud' });
const errors = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const warnings = (document: Document): string[] =>
  document.report.filter(({ severity }) => severity === 'warning').map(({ message }) => message);

describe('users and groups', () => {
  test('forms and defaults', () => {
    const document = read(
      'users: [default, alice, {name: bob, system: yes, uid: 5, no-create-home: true, sudo: [a=/b, c=/d]}]\n',
    );
    expect(document.users).toMatchObject([
      { name: 'alice', groups: [], lockPassword: true, system: false, sudo: [] },
      { name: 'bob', system: true, uid: 5, noCreateHome: true, sudo: ['a=/b', 'c=/d'] },
    ]);
    expect(warnings(document)[0]).toContain('default user');
    expect(
      read('users: {carol: {shell: /bin/sh}, dave: true, eve: false}').users.map(({ name }) => name),
    ).toEqual(['carol', 'dave']);
  });

  test.each([
    ['users: {name: ann, sudo: false}', 'name'],
    ['users: {ann: true, ssh_authorized_keys: [ssh-rsa x]}', 'ssh_authorized_keys'],
    ['users: {ann: }', 'ann'],
    ['users: {name: ann}\nuser: core', 'name'],
  ])('settings of a user that stand in no list are an error: %s', (text, name) => {
    expect(errors(read(text))).toEqual([
      expect.stringMatching(new RegExp(`^users: ${name} must be a mapping of .* list item: "- name: NAME"`)),
    ]);
  });

  test('what is about doas, SELinux and groups', () => {
    const rule = 'permit nopass keepenv a as root cmd apk args add';
    const { users, report } = read(
      `users: [{name: a, doas: ['${rule}'], selinux_user: staff_u, create_groups: false, no_log_init: true}, {name: b, create_groups: true}]\n`,
    );
    expect(report).toEqual([]);
    expect(users[0]).toMatchObject({
      ...{ doas: [rule], selinuxUser: 'staff_u', createsGroups: false, noLogInit: true },
    });
    expect(users[1]).not.toHaveProperty('createsGroups');
    for (const wrong of ['permit b', 'allow a', 'permit a cmd x\\npermit b', 'permit\\na', 'permit']) {
      const document = read(`users: [{name: a, doas: ["${wrong}"]}]`);
      expect([document.users[0]?.doas, errors(document), warnings(document).length]).toEqual([
        undefined,
        [],
        1,
      ]);
    }
  });

  test('an empty key, as Cluster API writes it, and a user of snap are left out with a warning', () => {
    const document = read('users: [{name: a, ssh_authorized_keys: [null, ssh-rsa x]}, {snapuser: s@x}]\n');
    expect(errors(document)).toEqual([]);
    expect(document.users).toMatchObject([{ name: 'a', sshAuthorizedKeys: ['ssh-rsa x'] }]);
    expect(warnings(document).join()).toMatch(/empty key.*snapuser/);
    expect(read('users: [{name: a, snapuser: s@x}]').users).toEqual([]);
  });

  test('a user whom nobody is to come as has the keys of the metadata, which say so', () => {
    const keys = { 'public-keys': ['ssh-rsa AAAA me'] };
    const users = (text: string) =>
      `users: [default, {name: a, ssh_redirect_user: ${text}}]\nuser: {name: deb}\n`;
    const [a] = read(users('true'), keys).users;
    expect(a?.sshAuthorizedKeys).toEqual([
      expect.stringMatching(
        /^no-port-forwarding.*user \\"deb\\" rather than the user \\"a\\".* ssh-rsa AAAA me$/,
      ),
    ]);
    expect(read(users('false'), keys).users[0]?.sshAuthorizedKeys).toEqual([]);
    expect(warnings(read(users('true'))).join()).toMatch(/metadata has no public keys/);
    expect(warnings(read('users: [{name: a, ssh_redirect_user: default}]', keys)).join()).toMatch(
      /no default user is created/,
    );
    expect(errors(read(users('other'), keys)).join()).toMatch(/true, false or default/);
    const both = 'users: [{name: a, ssh_redirect_user: true, ssh_authorized_keys: [ssh-rsa x]}]';
    expect(errors(read(both, keys)).join()).toMatch(/cannot be combined with/);
  });

  test("keys that a cloud gives by users' names are the default user's where it has that name", () => {
    const told = { name: 'gce', platform: 'gce', subplatform: 'x', addresses: [] };
    const cloud = {
      ...told,
      publicKeys: ['ssh-rsa A'],
      keysByUser: { deb: ['ssh-rsa B'], other: ['ssh-rsa C'] },
    };
    const { system } = readDocument(Buffer.from('#cloud-config\nusers: [default]\nuser: {name: deb}\n'), {
      ...{ metaData: {}, source: 'gce', cloud },
    });
    expect(system?.loginKeys?.keys).toEqual(['ssh-rsa A', 'ssh-rsa B']);
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
    ['users: [{name: a}, {name: a}]', 'listed twice'],
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
      { device: '/dev/sdb', partition: '2', filesystem: 'xfs', options: [], overwrite: false },
      { device: '/dev/sdc', partition: '3', filesystem: 'ext4' },
    ]);
  });

  test('fs_setup by a command of its own', () => {
    const line = 'mkfs -t %(filesystem)s -L %(label)s -m 5%% %(device)s %%(device)s';
    const { filesystems, report } = read(
      `fs_setup: [{device: /dev/b, label: l%, filesystem: ext4, cmd: '${line}', extra_opts: [-F]}, {device: /dev/c, filesystem: xfs, cmd: [mkfs.xfs, '%(device)s']}]`,
    );
    expect(filesystems.map(({ command }) => command)).toEqual([
      ['/bin/sh', '-c', 'mkfs -t ext4 -L l%% -m 5%% %(device)s %%(device)s'],
      ['mkfs.xfs', '%(device)s'],
    ]);
    expect(report.map(({ message }) => message)).toEqual([
      expect.stringContaining('extra_opts has no effect'),
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

  test('mounts with fewer defaults than fields', () => {
    const fields = (text: string) => read(`mounts: ${text}`).mounts.map((entry) => entry.fields.slice(2));
    const four = 'mount_default_fields: [~, ~, ext4, "defaults,nofail"]';
    expect(fields(`[[a, /a], [b, /b, xfs], [c, /c, ~, ro, 1], [d, /d, ~, ~, ~, 1]]\n${four}`)).toEqual([
      ['ext4', 'defaults,nofail', '', ''],
      ['xfs', 'defaults,nofail', '', ''],
      ['ext4', 'ro', '1', ''],
      ['ext4', 'defaults,nofail', '0', '1'],
    ]);
    expect(fields('[[a, /a, ext4, ro]]\nmount_default_fields: []')).toEqual([['ext4', 'ro', '', '']]);
  });

  test('ntp', () => {
    expect(read('ntp:').ntp).toMatchObject({ enabled: true, servers: [], pools: [] });
    expect(read('ntp: {enabled: false, pools: [p.test]}').ntp).toMatchObject({
      enabled: false,
      pools: ['p.test'],
    });
    expect(read('').ntp).toBeUndefined();
    expect(
      read('ntp: {peers: [p.test], allow: [10.0.0.0/8, "fd00::/8"], ntp_client: chrony}').ntp,
    ).toMatchObject({
      ...{ peers: ['p.test'], allow: ['10.0.0.0/8', 'fd00::/8'], client: 'chrony' },
    });
    expect(read('ntp: {ntp_client: auto}').ntp).not.toHaveProperty('client');
  });

  test.each([
    ['ntp: {ntp_client: systemd-timesyncd, peers: [p.test]}', /^ntp: peers has no effect: .* chrony and ntp/],
    ['ntp: {ntp_client: ntp, allow: [10.0.0.0/8]}', /^ntp: allow has no effect: .* chrony/],
    [
      'password: x\nchpasswd: {users: [{name: ann, type: RANDOM}]}',
      /^password has no effect when chpasswd has users/,
    ],
  ])('what nobody would act upon is a warning: %s', (text, message) => {
    expect(warnings(read(text))).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    'ntp: {ntp_client: chrony, peers: [p.test], allow: [10.0.0.0/8]}',
    'ntp: {ntp_client: ntp, peers: [p.test]}',
    'ntp: {enabled: false, ntp_client: systemd-timesyncd, peers: [p.test]}',
    'ntp: {ntp_client: systemd-timesyncd, peers: [p.test], config: {template: "a"}}',
    'chpasswd: {users: [{name: ann, type: RANDOM}]}',
  ])('what somebody does is none: %s', (text) => {
    expect(warnings(read(text))).toEqual([]);
  });

  test('ntp with a service of its own', () => {
    const config =
      'config: {confpath: /etc/own.conf, check_exe: ownd, packages: [own], service_name: own.service, template: "## template:jinja\\n{% for a in servers + pools -%}\\nserver {{ a }}\\n{% endfor %}{{ peers }}"}';
    const own = (text: string) => {
      const { ntp, report } = read(text);
      expect(report.filter(({ severity }) => severity === 'error')).toEqual([]);
      return { ...ntp?.own, content: ntp?.own?.content?.reveal() };
    };
    expect(own(`ntp: {ntp_client: own, servers: [a.test], ${config}}`)).toEqual({
      path: '/etc/own.conf',
      program: 'ownd',
      packages: ['own'],
      unit: 'own',
      content: 'server a.test\n[]',
    });
    expect(own(`ntp: {ntp_client: own, ${config}}`).content).toMatch(
      /^server 0\.pool\.ntp\.org\n(?:.*\n){3}\[\]$/,
    );
    expect(own('ntp: {config: {template: "a\\n5 $ # $(x)\\n"}}')).toEqual({ content: 'a\n5 $ # $(x)\n' });
    // Blanks as if for another header within the header.
    const blanks = ' '.repeat(40_000);
    expect(warnings(read(`ntp: {config: {template: "##template:${blanks}template:${blanks}\\rA"}}`))).toEqual(
      [],
    );
    expect(own('ntp: {ntp_client: openntpd, config: {template: a}}')).toEqual({
      path: '/etc/ntpd.conf',
      program: 'ntpd',
      packages: [],
      unit: 'ntpd',
      content: 'a',
    });
    expect(read('ntp: {enabled: false, config: {confpath: x}}').ntp).not.toHaveProperty('own');
    expect(warnings(read('ntp: {config: {template: "## template: jinja\\n{{ pool }}"}}')).join()).toContain(
      'only the variables servers',
    );
  });

  test.each([
    ['disk_setup: x', 'mapping of devices'],
    ['disk_setup: {/dev/a: x}', 'must be a mapping'],
    ['disk_setup: {/dev/a: {table_type: bsd}}', 'mbr or gpt'],
    ['disk_setup: {/dev/a: {layout: [60, 60]}}', 'percent'],
    ['disk_setup: {/dev/a: {layout: [x]}}', 'percent'],
    ['fs_setup: x', 'must be a list'],
    ['fs_setup: [{filesystem: ext4}]', 'no device'],
    ['fs_setup: [{device: /dev/a}]', 'filesystem'],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, partition: x}]', 'partition'],
    [
      'fs_setup: [{device: /dev/a, filesystem: ext4, cmd: "mkfs -L %(label)s %(device)s"}]',
      '%(label)s: only',
    ],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, cmd: "mkfs %d"}]', '%d: write a literal % as %%'],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, cmd: "mkfs 5%"}]', '%: write a literal % as %%'],
    ['fs_setup: [{device: /dev/a, filesystem: ext4, cmd: []}]', 'cmd is empty'],
    ['fs_setup: [{device: /dev/a, cmd: "mkfs.ext4 %(device)s"}]', 'filesystem must name a type'],
    ['mounts: x', 'list of lists'],
    ['mounts: [x]', 'list of one to six'],
    ['mounts: [[]]', 'list of one to six'],
    ['{mounts: [[a, /a, xfs]], mount_default_fields: [~, ~, ext4]}', 'does not set the others'],
    ['{mounts: [[a, ~]], mount_default_fields: []}', 'does not set the others'],
    ['{mounts: [[a, /a]], mount_default_fields: [a, b, c, d, e, f, g]}', 'list of six fields'],
    ['ntp: x', 'must be a mapping'],
    ['ntp: {allow: ["10/8\\nx"]}', 'allow must contain networks'],
    ['ntp: {servers: ["a b"]}', 'hostnames'],
    ['ntp: {config: x}', 'config must be a mapping'],
    ['ntp: {config: {confpath: etc/x}}', 'absolute path'],
    ['ntp: {config: {check_exe: -x}}', 'name a program'],
    ['ntp: {config: {packages: [-x]}}', 'packages must contain package names'],
    ['ntp: {config: {service_name: "a b"}}', 'name a service'],
    ['ntp: {config: {template_name: x}}', 'template_name is not supported'],
    ['ntp: {config: {template: "server $servers"}}', '## template: jinja'],
    ['ntp: {config: {template: "## template: mako\\nx"}}', '## template: jinja'],
    ['ntp: {config: {template: "## template: jinja\\n{% do x %}"}}', 'Jinja template'],
    [
      'ntp: {ntp_client: own, config: {confpath: /a}}',
      'config does not set check_exe, packages, service_name, template',
    ],
  ])('%s', (text, word) => {
    expect(errors(read(text)).join()).toContain(word);
  });
});
