import { describe, expect, it } from 'vitest';
import { readDocument } from '../../fixtures/read-document.ts';

const META = { 'instance-id': 'i-1', 'local-hostname': 'node-1.example.test' };
const KEY = 'ssh-ed25519 AAAAC3 me';
const DEBIAN = 'system_info: {default_user: {name: debian}}\nusers: [default]\n';

function read(config: string, metaData: Record<string, unknown> = META) {
  const raw = Buffer.from(`#cloud-config\n${config}`);
  const { system, report, hostname } = readDocument(raw, { metaData, source: 'test' });
  return {
    system: system && open(system),
    hostname,
    told: report.map(
      ({ severity, where, message }) => `${severity} ${where?.line}:${where?.column} ${message}`,
    ),
  };
}

/** The settings with their secrets opened. */
function open(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value === null || typeof value !== 'object') return value;
  if ('reveal' in value && typeof value.reveal === 'function') return open(value.reveal());
  if (Array.isArray(value)) return value.map(open);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, open(inner)]));
}

describe('keys about the system', () => {
  it.each([
    ['timezone: Europe/Berlin', { timezone: { name: 'Europe/Berlin' } }],
    ['locale: de_DE.UTF-8', { locale: { name: 'de_DE.UTF-8' } }],
    ['locale: false', undefined],
    ['keyboard: {layout: de}', { keyboard: { layout: 'de', model: 'pc105', variant: '', options: '' } }],
    [
      'manage_etc_hosts: localhost',
      { hosts: { how: 'entry', hostname: { name: 'node-1', fqdn: 'node-1.example.test' } } },
    ],
    [
      'manage_etc_hosts: localhost\nhostname: other\npreserve_hostname: true',
      { hosts: { how: 'entry', hostname: { name: 'other', fqdn: 'node-1.example.test' } } },
    ],
    ['manage_etc_hosts: false', undefined],
    [
      'manage_resolv_conf: true\nresolv_conf: {nameservers: [10.0.0.1], options: {rotate: true, x: false, timeout: 1}}',
      { resolver: { servers: ['10.0.0.1'], search: [], sortlist: [], options: ['rotate', 'timeout:1'] } },
    ],
    [
      'ca-certs: {remove-defaults: true, trusted: ["-----BEGIN CERTIFICATE-----"]}',
      { authorities: { replaces: true, trusted: ['-----BEGIN CERTIFICATE-----'] } },
    ],
    [
      'ssh_keys: {rsa_private: p, rsa_certificate: c}',
      { hostKeys: { replaces: true, given: [{ type: 'rsa', privateKey: 'p', certificate: 'c' }], made: [] } },
    ],
    [
      'ssh_deletekeys: true\nssh_genkeytypes: [ed25519]',
      { hostKeys: { replaces: true, given: [], made: ['ed25519'] } },
    ],
    ['ssh_deletekeys: false', undefined],
    ['ssh_pwauth: "yes"', { passwordLogin: { allowed: true } }],
    ['ssh_pwauth: unchanged', undefined],
    [
      'chpasswd: {expire: false, users: [{name: a, password: x, type: text}, {name: b, type: RANDOM}]}',
      {
        passwords: {
          expire: false,
          users: [
            { name: 'a', password: 'x', isHash: false },
            { name: 'b', isHash: false },
          ],
        },
      },
    ],
    [
      'chpasswd: {list: "a:$6$salt$hash\\nb:R\\n"}',
      {
        passwords: {
          expire: true,
          users: [
            { name: 'a', password: '$6$salt$hash', isHash: true },
            { name: 'b', isHash: false },
          ],
        },
      },
    ],
    [
      `${DEBIAN}password: x`,
      { passwords: { expire: true, users: [{ name: 'debian', password: 'x', isHash: false }] } },
    ],
    [
      `${DEBIAN}ssh_authorized_keys: [null, "${KEY}"]\ndisable_root: false`,
      { loginKeys: { keys: [KEY], defaultUser: 'debian', rootOptions: '' } },
    ],
    [
      'packages: [a, [b, "1.2"], {apt: [c]}]\npackage_upgrade: true',
      {
        packages: {
          refresh: true,
          upgrade: true,
          reboots: false,
          wanted: [{ name: 'a' }, { name: 'b', version: '1.2' }, { name: 'c' }],
        },
      },
    ],
    ['growpart: {mode: "off"}', undefined],
    ['growpart: {}', { growPartitions: { devices: ['/'] } }],
    ['resize_rootfs: noblock', { growRoot: { waits: false } }],
    [
      'random_seed: {data: aGk=, encoding: b64}',
      { randomSeed: { file: '/dev/urandom', data: 'hi', command: [], isRequired: false } },
    ],
    [
      'power_state: {mode: reboot, delay: "+5", condition: [test, -f, /x]}',
      { powerState: { mode: 'reboot', delay: 5, condition: { argv: ['test', '-f', '/x'] } } },
    ],
    ['final_message: done', { finalMessage: { template: 'done' } }],
  ])('%s', (config, expected) => {
    const { system, told } = read(config);
    expect(system).toEqual(expected);
    expect(told.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('makes files of repositories', () => {
    const { system } = read(
      'yum_repos: {my repo: {baseurl: "http://a/", enabled: true, name: A}}\napt: {sources: {x: {source: "deb http://b/ $RELEASE main", key: K}}}',
    );
    expect(system).toEqual({
      repositories: {
        files: [
          {
            path: '/etc/yum.repos.d/my-repo.repo',
            content: expect.stringContaining('[my-repo]\nbaseurl = http://a/\nenabled = 1\nname = A\n'),
            keeps: true,
          },
          { path: '/etc/apt/trusted.gpg.d/x.asc', content: 'K\n', keeps: false },
          { path: '/etc/apt/sources.list.d/x.list', content: 'deb http://b/ $RELEASE main\n', keeps: false },
        ],
      },
    });
  });

  it('says of a name of an option that is none what becomes of it', () => {
    const { system, told } = read(
      'yum_repos:\n  r:\n    "baseurl ": http://a/\n    gpg-check: false\n    "": x\n    Name: A\n',
    );
    expect(JSON.stringify(system)).toContain('[r]\\nbaseurl = http://a/\\ngpg_check = 0\\nname = A\\n');
    expect(told.filter((line) => line.includes('is not an option'))).toEqual([
      'warning 4:5 yum_repos: "baseurl " is not an option name; it is read as baseurl.',
      'warning 5:5 yum_repos: "gpg-check" is not an option name; it is read as gpg_check.',
      'warning 6:5 yum_repos: "" is not an option name; it is skipped.',
    ]);
  });

  it('warns of a locale without character set', () => {
    const { system, told } = read('locale: en_US');
    expect(system).toEqual({ locale: { name: 'en_US' } });
    expect(told).toEqual([expect.stringContaining('warning 2:9 locale names no character set')]);
    expect(read('locale: C').told).toEqual([]);
    expect(read('locale: de_DE@euro').told).toEqual([]);
  });

  it('takes keys from key servers, and archives by their names', () => {
    const fpr = '9DC8 5822 9FC7 DD38 854A  E2D8 8D81 803C 0EBF CD88';
    const at = (server: string) =>
      `d: {source: "deb [signed-by=$KEY_FILE] http://b/ x main", keyid: "${fpr}"${server}}`;
    const { system, told } = read(
      `apt: {sources: {${at('')}, p: {source: "ppa:a/b"}, s: {keyid: 0EBFCD88, keyserver: "hkp://k.example"}}}`,
    );
    const search = 'pks/lookup?op=get&options=mr&search=0x';
    const id = fpr.replaceAll(' ', '');
    expect(system).toMatchObject({
      repositories: {
        files: [
          {
            path: '/etc/apt/cloud-init.gpg.d/d.asc',
            key: { id, url: `https://keyserver.ubuntu.com/${search}${id}` },
          },
          {
            path: '/etc/apt/sources.list.d/d.list',
            content: 'deb [signed-by=/etc/apt/cloud-init.gpg.d/d.asc] http://b/ x main\n',
          },
          {
            path: '/etc/apt/trusted.gpg.d/s.asc',
            key: { id: '0EBFCD88', url: `http://k.example:11371/${search}0EBFCD88` },
          },
        ],
        archives: [{ name: 'ppa:a/b' }],
      },
    });
    expect(told).toEqual([expect.stringContaining('anyone can create a key with the same short id')]);
    for (const [server, host] of [
      ['keys.example', 'https://keys.example'],
      ['keys.example:80', 'http://keys.example:80'],
      ['hkps://keys.example', 'https://keys.example'],
      ['https://keys.example/', 'https://keys.example'],
    ])
      expect(JSON.stringify(read(`apt: {sources: {${at(`, keyserver: "${server}"`)}}}`).system)).toContain(
        `${host}/${search}`,
      );
  });

  it.each([
    ['timezone: ../../etc/passwd', 'error 2:11 timezone must name'],
    ['locale: "a b"', 'error 2:9 locale must name'],
    ['keyboard: {layout: "$(x)"}', 'keyboard: layout contains an invalid character'],
    ['ca_certs: {trusted: [x]}', 'certificates'],
    ['chpasswd: {list: [nobody]}', 'NAME:PASSWORD'],
    ['packages: ["-y"]', 'every item must be a package'],
    ['packages: ["a; rm"]', 'every item must be a package'],
    ['yum_repos: {"../x": {baseurl: a}}', 'an id or a setting that a repository file cannot contain'],
    ['apt: {sources: {x: {source: deb, keyid: ABC}}}', 'keyid must be'],
    [
      'apt: {sources: {x: {source: deb, keyid: "0x0123ABCD", keyserver: "ldap://x"}}}',
      'keyserver must be a host',
    ],
    ['apt: {sources: {x: {source: deb, keyid: "0x0123ABCD", keyserver: "a b"}}}', 'keyserver must be a host'],
    ['apt: {sources: {"../x": {source: deb}}}', 'is not a file name'],
    ['swap: {filename: x, size: 1G}', 'an absolute path'],
    ['growpart: {devices: [sda]}', 'neither a mount point nor a device'],
    ['power_state: {mode: sleep}', 'mode must be'],
    ['phone_home: {url: "ftp://x"}', 'http:// or https://'],
    ['ssh_pwauth: perhaps', 'ssh_pwauth must be'],
  ])('%s is refused', (config, words) => {
    expect(read(config).told).toContainEqual(expect.stringContaining(words));
    expect(read(config).told.some((line) => line.startsWith('error 2:'))).toBe(true);
  });

  it('warns where nothing would come of it', () => {
    expect(read(`ssh_authorized_keys: ["${KEY}"]`).told).toEqual([
      expect.stringMatching(
        /^warning 2:.* ssh_authorized_keys have no effect: root login is .* no default user is created, because this image.s \/etc\/cloud\/cloud.cfg/,
      ),
    ]);
    expect(read('hostname: a', { ...META, 'public-keys': [KEY] }).told).toEqual([
      expect.stringContaining("The metadata's public keys have no effect"),
    ]);
    expect(read('apt: {sources: {x: {}}}').told).toEqual([expect.stringContaining('x has neither a source')]);
    expect(read('password: x').told).toEqual([expect.stringContaining('no default user is created')]);
    expect(read('resolv_conf: {}').told).toContainEqual(expect.stringContaining('no effect without'));
    expect(read('manage_etc_hosts: true', {}).told).toEqual([
      expect.stringContaining('neither user data nor'),
    ]);
  });
});
