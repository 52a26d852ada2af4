import assert from 'node:assert/strict';
import { readUserData } from '../../../src/agent/userdata/read-user-data.ts';
import { ignitionValidator } from '../../lab/lab.ts';
import { run } from '../../lab/process/command.ts';
import { Choices } from './random.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A config with something of everything that Debian's ignition-validate (3.0 to 3.3) knows. */
const VALID: Json = {
  ignition: {
    version: '3.3.0',
    proxy: { httpProxy: 'http://proxy:3128', noProxy: ['localhost'] },
    timeouts: { httpTotal: 10 },
  },
  storage: {
    disks: [
      {
        device: '/dev/sdb',
        wipeTable: true,
        partitions: [
          {
            number: 1,
            label: 'one',
            startMiB: 1,
            sizeMiB: 10,
            typeGuid: '0657FD6D-A4AB-43C4-84E5-0933C84B4F4F',
          },
          { number: 2, label: 'two', startMiB: 11, sizeMiB: 10 },
        ],
      },
    ],
    raid: [{ name: 'md', level: 'raid1', devices: ['/dev/sdb1', '/dev/sdb2'] }],
    luks: [
      { name: 'l', device: '/dev/sdc', label: 'x', clevis: { tang: [{ url: 'http://t', thumbprint: 'x' }] } },
    ],
    filesystems: [{ device: '/dev/sdd', format: 'ext4', label: 'data', path: '/srv', wipeFilesystem: true }],
    directories: [{ path: '/d', mode: 493, user: { id: 1 }, group: { name: 'g' } }],
    files: [
      { path: '/d/f', mode: 420, overwrite: true, contents: { source: 'data:,x', compression: '' } },
      { path: '/g', append: [{ source: 'https://h/x', httpHeaders: [{ name: 'A', value: 'b' }] }] },
    ],
    links: [{ path: '/l', target: '/d/f', hard: true }],
  },
  systemd: {
    units: [
      {
        name: 'a.service',
        enabled: true,
        contents: '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
        dropins: [{ name: 'b.conf', contents: '[Unit]\nA=b\n' }],
      },
    ],
  },
  passwd: {
    users: [{ name: 'core', uid: 5, groups: ['a'], sshAuthorizedKeys: ['k'] }],
    groups: [{ name: 'a' }],
  },
  kernelArguments: { shouldExist: ['quiet'], shouldNotExist: ['debug'] },
};

const VALUES: readonly Json[] = [
  ...[
    '',
    '/',
    'a',
    '/a/../b',
    '/a//b',
    '/a/',
    '//',
    '/d/f',
    '/d',
    'data:,x%',
    'data:;base64,x',
    'foo://x',
    's3://b/k',
  ],
  ...[
    'http://h/%zz',
    ' http://h',
    'http://h:p/',
    'https://[::1',
    'gs://b/o',
    'tftp://h/x',
    'arn:aws:s3:::b/k',
    'gzip',
  ],
  ...[
    'sha512-00',
    'md5-0',
    `sha256-${'0'.repeat(64)}`,
    `sha512-${'0'.repeat(128)}`,
    'x.service',
    'x.conf',
    'a:b',
  ],
  ...[
    '[Unit',
    '[Unit]\nfoo',
    '[Unit]\nA=b',
    'raid0',
    'none',
    'x'.repeat(48),
    'ext4',
    'vfat',
    '3.0.0',
    '3.2.0',
    '3.9.0',
  ],
  ...[0, 1, -1, 2, 4096, 1.5, true, false, null],
  ...[[], {}, [1], ['/a'], [{}], { id: 1, name: 'x' }, { source: 'data:,x' }, { hash: 'sha512-0' }],
];

interface Told {
  refused: boolean;
  /** JSON paths of errors, and of warnings. */
  errors: string[];
  warnings: string[];
}

/** Verdicts of both on thousands of variants; a document is refused by both or by none, at the same place. */
export async function verdicts(say: (line: string) => void): Promise<void> {
  const validator = await ignitionValidator(say);
  let refused = 0;
  let number = 0;
  for (; number < 400; number += 1) {
    if (await isRefused(validator, JSON.stringify(variant(number), undefined, 1))) refused += 1;
  }
  say(`${number} configs: ${refused} refused, by ignition-validate and Slipway alike, at the same places`);
}

/** By both alike, or by none. */
export async function isRefused(validator: string, text: string): Promise<boolean> {
  const theirs = await judged(validator, text);
  const ours = await read(text);
  const told = `${text}\ntheirs ${JSON.stringify(theirs)}\nours ${JSON.stringify(ours)}`;
  assert.equal(ours.refused, theirs.refused, told);
  // Ours may tell of more at once: Go stops at the first value of a wrong type.
  for (const path of theirs.errors)
    assert.ok(
      ours.errors.some((own) => isNear(own, path)),
      `${path}\n${told}`,
    );
  for (const path of theirs.warnings)
    assert.ok(
      ours.warnings.some((own) => isNear(own, path)),
      `${path}\n${told}`,
    );
  return theirs.refused;
}

/** The same place, or one in it: whether a list or its item is named is a matter of taste. */
function isNear(own: string, theirs: string): boolean {
  return own === theirs || own.startsWith(`${theirs}.`) || theirs.startsWith(`${own}.`);
}

function variant(seed: number): Json {
  const choices = new Choices(seed);
  const config = structuredClone(VALID);
  for (let times = choices.below(3); times >= 0; times -= 1) change(config, choices);
  return config;
}

/** Changes one value, leaves one out, doubles one, or adds a key. */
function change(config: Json, choices: Choices): void {
  let at = config;
  for (;;) {
    if (typeof at !== 'object' || at === null) return;
    const keys = Array.isArray(at) ? at.map((_, index) => index) : Object.keys(at);
    if (keys.length === 0) return;
    const holder = at as Record<string | number, Json>;
    const key = choices.of<string | number>(keys);
    const value = holder[key] as Json;
    const goesOn = typeof value === 'object' && value !== null && choices.chance(85);
    if (goesOn) {
      at = value;
      continue;
    }
    const how = choices.below(10);
    if (how < 6) holder[key] = structuredClone(choices.of(VALUES));
    else if (how < 7 && Array.isArray(at)) at.push(structuredClone(value));
    else if (how < 8 && !Array.isArray(at)) holder.unknown = 1;
    else if (Array.isArray(at)) at.splice(Number(key), 1);
    else delete holder[key];
    return;
  }
}

async function judged(validator: string, text: string): Promise<Told> {
  const { code, stdout, stderr } = await run(validator, ['-'], { input: text, timeoutMs: 600_000 });
  // What it says of null in the place of an object is about its own bookkeeping.
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => !line.includes('context tree'));
  const paths = (kind: string) =>
    lines.flatMap((line) => new RegExp(`^${kind} at (\\$[^,:]*)[,:]`).exec(line)?.[1] ?? []);
  return { refused: code !== 0, errors: paths('error'), warnings: paths('warning') };
}

/** What cannot be done on a machine that runs is no matter of the config's form. */
const NOT_OF_FORM = new RegExp(
  [
    'uses \\S+:, which Slipway does not support|only an initramfs|does not match the content|is not gzip',
    // What mdadm, cryptsetup and boot loaders tell Ignition only when it calls them.
    'is not a valid array name|is not a valid volume name|leaves no active device for the array',
    // Ignition finds it when it writes the second of them.
    'which is written as a file',
    'is set by Slipway itself|is no UUID|that boot loaders do not accept',
  ].join('|'),
);

async function read(text: string): Promise<Told> {
  const { report } = await readUserData(Buffer.from(text), { metaData: {}, source: 'test' });
  const entries = report.filter(({ message }) => !NOT_OF_FORM.test(message));
  const paths = (kind: string) =>
    entries.filter(({ severity }) => severity === kind).map(({ message }) => /^\S+/.exec(message)?.[0] ?? '');
  const errors = paths('error');
  return { refused: errors.length > 0, errors, warnings: paths('warning') };
}
