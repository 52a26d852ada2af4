import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { plan } from '../../steps/plan.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { convertCommand } from './convert.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function convert(userData: string, metaData?: object) {
  const root = scratch();
  const file = join(root, 'user-data');
  writeFileSync(file, userData);
  writeFileSync(join(root, 'meta-data'), JSON.stringify(metaData ?? {}));
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const given = metaData === undefined ? {} : { metaData: join(root, 'meta-data') };
  const status = await convertCommand(file, given);
  const texts = (mock: typeof out) => mock.mock.calls.map(([text]) => String(text)).join('');
  const converted = { status, text: texts(out), told: texts(err) };
  vi.restoreAllMocks();
  return converted;
}

async function digests(userData: string, metaData: Record<string, unknown>) {
  const document = await readUserData(Buffer.from(userData), { source: 'file', metaData });
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  return plan(document).map(({ id, digest }) => [id, digest]);
}

/** What the metadata of different machines says; each key that a reader of user data asks for stands in one of them. */
const MACHINES: Record<string, unknown>[] = [
  {},
  { 'local-hostname': 'node-1' },
  { 'local-hostname': 'pool-7', 'public-keys': ['ssh-ed25519 AAAA theirs'] },
  { 'local-hostname': 'ip-10-0-0-7.eu.example' },
  { 'local-hostname': '10.0.0.7', 'instance-id': 'i-7', region: 'r', 'availability-zone': 'z' },
];

const NAMES = [
  ['nothing', ''],
  ['a name', 'hostname: pool-7'],
  ['the name that a sample might have', 'hostname: node-1'],
  ['a name with a domain', 'hostname: pool-7.example.test'],
  ['a whole name', 'fqdn: pool-7.example.test'],
  ['both', 'hostname: pool-7\nfqdn: other.example.test'],
];
const HOW = [
  ['', ''],
  [', preferring the whole one', 'prefer_fqdn_over_hostname: true'],
  [', without a file', 'create_hostname_file: false'],
  [', kept', 'preserve_hostname: true'],
];
const USES = [
  ['', ''],
  [' in /etc/hosts', 'manage_etc_hosts: true'],
  [' in one line of /etc/hosts', 'manage_etc_hosts: localhost'],
  [' told', 'phone_home: {url: "http://h.example/"}'],
];

const LOGINS = [
  ['an own key', 'ssh_authorized_keys: [ssh-ed25519 AAAA own]'],
  [
    'root gets in',
    'disable_root: false\nssh_authorized_keys: [ssh-ed25519 AAAA theirs, ssh-ed25519 AAAA own]',
  ],
  ['root is told', 'disable_root_opts: no-pty'],
  ['a default user', 'user: {name: ops}'],
  ['no keys of the metadata', 'allow_public_ssh_keys: false\nssh_authorized_keys: [ssh-ed25519 AAAA own]'],
];

it.each([
  ...NAMES.flatMap(([name, named]) =>
    HOW.flatMap(([how, kept]) =>
      USES.map(([use, used]) => [`${name}${how}${use}`, [named, kept, used].join('\n')]),
    ),
  ),
  ...LOGINS,
])('the same steps on every machine: %s', async (_name, keys) => {
  const userData = `#cloud-config\n${keys}\nruncmd: [a]\n`;
  const { status, text } = await convert(userData);
  expect(status).toBe(0);
  for (const metaData of MACHINES)
    expect(await digests(text, metaData)).toEqual(await digests(userData, metaData));
  for (const metaData of MACHINES.slice(1)) expect((await convert(userData, metaData)).text).toBe(text);
});

const PART = (header: string, text: string) => `--B\nContent-Type: text/cloud-config\n${header}\n${text}\n`;
const KUBEADM =
  '/etc/kubeadm.yml", "mode": 384, "contents": {"source": "data:,%7B%7B%20ds.meta_data.local_hostname%20%7D%7D"}}';

it.each([
  [
    'public keys',
    '#cloud-config\nuser: {name: ops}\nusers: [default, {name: a, ssh_redirect_user: true}]\n',
    { 'public-keys': ['ssh-ed25519 AAAA a'] },
  ],
  [
    'the launch index',
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n${PART('', '#cloud-config\nruncmd: [a]')}${PART('Launch-Index: 3\n', '#cloud-config\nruncmd: [b]')}--B--\n`,
    { 'launch-index': '3' },
  ],
  ['a template', '## template: jinja\n#cloud-config\nruncmd: ["{{ ds.meta_data.zone }}"]\n', { zone: 'z' }],
  [
    'a template with a condition',
    '## template: jinja\n#cloud-config\nruncmd: ["a{% if v1.region == \'r\' %}b{% endif %}"]\n',
    { region: 'r' },
  ],
  [
    'a template in Ignition',
    `{"ignition": {"version": "3.3.0"}, "storage": {"files": [{"path": "${KUBEADM.replace('%7B', '%23%23%20template%3A%20jinja%0A%7B')}]}}`,
    { 'local-hostname': 'pool-7' },
  ],
])(
  'demands the metadata where the document would be of one machine: %s',
  async (_what, userData, metaData) => {
    const { status, text, told } = await convert(userData);
    expect({ status, text, told }).toEqual({
      status: 2,
      text: '',
      told: expect.stringContaining('--meta-data FILE'),
    });
    const given = await convert(userData, metaData);
    expect(given.status).toBe(0);
    expect(await digests(given.text, metaData)).toEqual(await digests(userData, metaData));
  },
);

it('takes the header of a template without tags for what it is', async () => {
  const userData = '## template: jinja\n#cloud-config\nhostname: pool-7\nruncmd: [a]\n';
  expect((await convert(userData)).status).toBe(0);
});
