import { gzipSync } from 'node:zlib';
import type { Choices } from '../ignition/random.ts';
import { HASH, key, maybe, ownDefaultUser, users } from './accounts.ts';

const GROUPS = ['users', 'audio', 'one', 'two'];
const TEXTS = [
  '',
  'a',
  'a\n',
  'ä € 🚢\n',
  'with "quotes" and \\ and $HOME\n',
  '  spaces  \n\ttab\n',
  '#!/bin/sh\nexit 0\n',
];

type Made = Record<string, unknown>;
type Make = (choices: Choices) => Made | undefined;

/**
 * cloud-config of what may stand there, the same for the same choices. Left out is what cloud-init fails upon, where Slipway
 * does more (a primary group that is not there yet, groups with spaces between them), and several keys in lists, which it puts into an
 * order of each run's own, a disk by a cloud's name or without /dev/, which Slipway names or leaves out with a word.
 */
export function generated(choices: Choices): Made {
  const parts = PARTS.filter(() => choices.chance(35)).map((make) => make(choices) ?? {});
  return Object.assign({ locale: false }, ...parts) as Made;
}

const some = <Item>(choices: Choices, most: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: 1 + choices.below(most) }, (_, index) => make(index));

function file(choices: Choices): Made {
  const text = choices.of(TEXTS) + 'x'.repeat(choices.below(40));
  const base64 = Buffer.from(text).toString('base64');
  const packed = gzipSync(text);
  const content = choices.of<Made>([
    { content: text },
    { content: base64, encoding: choices.of(['b64', 'base64']) },
    { content: packed.toString('base64'), encoding: choices.of(['gz+b64', 'gzip+base64']) },
    { content: text, encoding: 'text/plain' },
    {},
  ]);
  return {
    path: choices.of([
      '/etc/made/a',
      '/etc/made/b',
      '/etc/made/deep/er/c',
      '/opt/d',
      '/etc/motd',
      '/usr/local/bin/e',
    ]),
    ...content,
    ...maybe(choices, 50, {
      permissions: choices.of(['0644', '0600', '0755', '640', 0o644, '04755', '0o600']),
    }),
    ...maybe(choices, 30, {
      owner: choices.of(['root:root', 'nobody:nogroup', 'root:daemon']),
    }),
    ...maybe(choices, 25, { append: choices.chance(70) }),
    ...maybe(choices, 25, { defer: choices.chance(70) }),
  };
}

/** Of root, of the default user, and of somebody who is made before: one of a name that nobody has stops cloud-init's module. */
function passwords(choices: Choices): Made {
  const word = () => choices.of(['secret', 'two words', 'a:b', 'q\'u"o$te', '\\back', 'Änn']);
  const whom = choices.of([['root'], ['root', 'daemon']]);
  const users = whom.map((name) => ({
    name,
    ...choices.of<Made>([
      { password: HASH },
      { password: HASH, type: 'hash' },
      { password: word(), type: 'text' },
      // A hash to both, in which no colon may stand.
      { password: word().replaceAll(':', '') },
      { type: 'RANDOM' },
    ]),
  }));
  const line = (name: string) => `${name}:${choices.of([HASH, 'R', 'RANDOM', word()])}`;
  const list = choices.of<unknown>([whom.map(line), `${whom.map(line).join('\n')}\n`]);
  const expire = maybe(choices, 70, { expire: choices.chance(50) });
  return choices.of<Made>([
    { chpasswd: { ...expire, users } },
    { chpasswd: { ...expire, list } },
    { password: choices.of([word(), HASH, 'R']), ...maybe(choices, 60, { chpasswd: expire }) },
    { chpasswd: { ...expire, users }, password: word() },
  ]);
}

function mount(choices: Choices, index: number): (string | number | null)[] {
  const row = choices.of<(string | number | null)[]>([
    ['tmpfs', `/mnt/a${index}`, 'tmpfs'],
    ['tmpfs', `/mnt/b${index}`, 'tmpfs', 'size=1m,mode=0700', '0', '0'],
    ['tmpfs', `/mnt/b${index}`, 'tmpfs', 'size=1m', 0, 0],
    [`LABEL=x${index}`, 'none', 'swap', 'sw,nofail'],
    [`/dev/nosuch${index}`, `/mnt/c${index}`],
    [`UUID=aa-${index}`, `/mnt/with space${index}`, 'ext4', 'nofail'],
    [`PARTUUID=bb-${index}`, `/mnt/d${index}`, 'auto', null, '0', '2'],
    [`/dev/nosuch${index}`, null],
    ['nosuch', `/mnt/e${index}`],
    ['swap', null],
    ['192.0.2.9:/export', `/mnt/h${index}`, 'nfs', 'nofail,noauto'],
    ['/etc', `/mnt/i${index}`, 'none', 'bind'],
    [`LABEL=y${index}`, `mnt/j${index}`],
    ['tmpfs', '/mnt/same', 'tmpfs'],
  ]);
  return row;
}

const certificate = (choices: Choices, index: number): string => {
  const text = `-----BEGIN CERTIFICATE-----\nMII${index}\n-----END CERTIFICATE-----`;
  return choices.of([text, `${text}\n`, `${text}\n\n`, `\n${text}\n`, `${text}\n${text}\n`]);
};

const PARTS: readonly Make[] = [
  (choices) => ({ write_files: some(choices, 4, () => file(choices)) }),
  (choices) => ({ write_files: some(choices, 4, () => file(choices)) }),
  users,
  users,
  ownDefaultUser,
  (choices) => ({
    groups: choices.of<unknown>([
      GROUPS.filter(() => choices.chance(40)),
      [{ one: ['root', 'daemon'] }, 'two'],
      'one,two',
      { one: ['root'] },
    ]),
  }),
  (choices) => ({
    ...maybe(choices, 70, { hostname: choices.of(['n1', 'n2.example.test']) }),
    ...maybe(choices, 40, { fqdn: 'n3.example.test' }),
    ...maybe(choices, 30, { prefer_fqdn_over_hostname: choices.chance(50) }),
    ...maybe(choices, 20, { preserve_hostname: choices.chance(50) }),
    ...maybe(choices, 50, { manage_etc_hosts: choices.of([true, false, 'localhost']) }),
  }),
  (choices) => ({ timezone: choices.of(['Europe/Berlin', 'Asia/Tokyo']) }),
  (choices) => ({
    keyboard: { layout: choices.of(['de', 'us']), ...maybe(choices, 40, { variant: 'intl' }) },
  }),
  (choices) => ({
    ssh_authorized_keys: [key(choices)],
    ...maybe(choices, 40, { disable_root: choices.chance(50) }),
    ...maybe(choices, 20, {
      disable_root_opts: choices.of(['no-pty', 'command="echo $USER for $DISABLE_USER"']),
    }),
  }),
  (choices) => ({ disable_root: choices.chance(50) }),
  (choices) => ({ allow_public_ssh_keys: choices.chance(50) }),
  (choices) => ({ ssh_pwauth: choices.of([true, false, 'unchanged']) }),
  (choices) => passwords(choices),
  (choices) => passwords(choices),
  (choices) => ({
    mounts: some(choices, 4, (index) => mount(choices, index)),
    ...maybe(choices, 25, {
      mount_default_fields: choices.of([
        [null, null, 'ext4', 'defaults,nofail', '0', '2'],
        [null, null, 'auto', 'noatime,nofail', '0', '0'],
      ]),
    }),
  }),
  (choices) => ({
    swap: choices.of<Made>([
      { filename: '/swap.img', size: '1M' },
      { filename: '/var/swap/file', size: 1048576 },
      { filename: '/swap.img', size: 0 },
      { filename: '/swap.img', size: 'auto', maxsize: '1M' },
      { size: '2M', maxsize: '4M' },
      {},
    ]),
  }),
  (choices) => ({
    [choices.of(['ca_certs', 'ca-certs'])]: {
      ...maybe(choices, 80, { trusted: some(choices, 3, (index) => certificate(choices, index)) }),
      ...maybe(choices, 40, {
        [choices.of(['remove_defaults', 'remove-defaults'])]: choices.chance(60),
      }),
    },
  }),
  (choices) => ({
    runcmd: some(choices, 3, (index) =>
      choices.of<unknown>([
        `echo r${index} >>/etc/order`,
        ['sh', '-c', `echo "l ${index}" >>/etc/order`],
        ['touch', `/etc/run '${index}'`],
        `cd /etc && printf '%s\\n' "$PWD" >>order`,
      ]),
    ),
  }),
  (choices) => ({ bootcmd: some(choices, 2, (index) => `echo b${index} >>/etc/order`) }),
  (choices) => ({
    random_seed: { file: '/etc/issue.net', data: choices.of(['hello', 'ä']), encoding: 'raw' },
  }),
];
