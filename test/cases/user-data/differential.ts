import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, load, YAML11_SCHEMA } from 'js-yaml';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { unpackedPackage } from '../../lab/root/unpacked-package.ts';
import { Choices } from '../ignition/random.ts';
import { defaultUserOfImage, key } from './accounts.ts';
import { generated } from './generated.ts';
import { schema } from './schema.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');
const FEWEST = 60;
/** Beside those that somebody wrote. */
const GENERATED = 60;
/** The first of their numbers. */
const FIRST = Number(process.env.SLIPWAY_SEED ?? 0);
/** Zones without their contents: only their names count. */
const ZONES = ['Europe/Berlin', 'Asia/Tokyo'];

type Files = Record<string, (string | number)[]>;
interface Applied {
  status: number;
  log: string;
  files: Files;
}
interface Job {
  'user-data': string;
  'vendor-data'?: string;
  'meta-data': string;
  /** What its cloud.cfg says beside Debian's. */
  image?: string;
}

type Program = 'cloud-init' | 'slipway' | 'image';

/** Documents about the whole system, applied by cloud-init 26.2 and by Slipway, each to a copy of one root. */
export async function differential(say: (line: string) => void): Promise<void> {
  const newest = await unpackedPackage('cloud-init', say, 'forky');
  const lower = [newest, ...(await cloudInitRoot(say))];
  await schema(lower, say);
  const whole = documents();
  await compared('slipway', lower, whole);
  say(
    `${whole.length} documents about the system: the same files, owners, modes and links as with cloud-init 26.2`,
  );
  const atRest = documentsOfImages();
  await compared('image', lower, atRest);
  say(`${atRest.length} documents about files, users and groups: the same by slipway apply --root`);
}

async function compared(program: Program, lower: string[], jobs: Job[]): Promise<void> {
  const [theirs, ours] = [await applied('cloud-init', lower, jobs), await applied(program, lower, jobs)];
  const told: string[] = [];
  jobs.forEach((job, index) => {
    const [expected, found] = [theirs[index], ours[index]];
    assert.ok(expected && found);
    assert.equal(expected.status, 0, expected.log);
    const differences = between(withoutEmpty(expected.files), withoutEmpty(found.files));
    if (differences.length > 0 || found.status !== 0)
      told.push(
        `--- ${job.image ?? ''}${job['meta-data']}${job['user-data']}\n${differences.join('\n')}\n${found.log}`,
      );
  });
  assert.ok(jobs.length >= FEWEST, `only ${jobs.length} documents`);
  assert.equal(told.length, 0, told.join('\n'));
}

/** What of made documents an image takes. Where they name nobody, its own `users` is what the machine makes when it boots. */
function documentsOfImages(): Job[] {
  return Array.from({ length: 3 * FEWEST }, (_, index) => FIRST + GENERATED + index)
    .map((seed) => ({ seed, made: generated(new Choices(seed)) }))
    .filter(({ made }) => ['users', 'user', 'write_files'].some((name) => name in made))
    .slice(0, FEWEST)
    .map(({ seed, made }) => {
      const { write_files, users, user, groups, disable_root } = made;
      const nobody = users === undefined && user === undefined ? { users: [] } : {};
      const given = { write_files, users, user, groups, disable_root };
      const config = { preserve_hostname: true, ...nobody, ...JSON.parse(JSON.stringify(given)) };
      // What a source will tell of a machine, an image cannot have.
      return { ...ofImage(seed, config), 'meta-data': metaData };
    });
}

/** With the image that it is for, and the keys that its source tells. */
function ofImage(seed: number, config: object): Job {
  // Others than those of the document.
  const choices = new Choices(seed + 0.5);
  const image = defaultUserOfImage(choices);
  // Two keys in one file stand in an order of each run's own.
  const told =
    !('ssh_authorized_keys' in config) && choices.chance(40) ? `public-keys: [${key(choices)}]\n` : '';
  const job = jobOf(config);
  return {
    ...job,
    'meta-data': job['meta-data'] + told,
    ...(choices.chance(60) ? { image: dump({ system_info: { default_user: image } }) } : {}),
  };
}

const metaData = 'instance-id: i-1\nlocal-hostname: node-1\n';
const jobOf = (config: object): Job => ({
  'user-data': `#cloud-config\n${dump(config, { noRefs: true })}`,
  'meta-data': metaData,
});

function documents(): Job[] {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const system = load(read('system.yaml'), { schema: YAML11_SCHEMA }) as object[];
  const forms = load(read('forms.yaml')) as { user: string; vendor?: string; meta?: string }[];
  const seeds = Array.from({ length: GENERATED }, (_, index) => FIRST + index);
  return [
    ...system.map(jobOf),
    ...seeds.map((seed) => ofImage(seed, generated(new Choices(seed)))),
    ...forms.map(({ user, vendor, meta = '' }) => ({
      'user-data': user,
      'meta-data': metaData + meta,
      ...(vendor === undefined ? {} : { 'vendor-data': vendor }),
    })),
  ];
}

async function applied(program: Program, lower: string[], jobs: Job[]): Promise<Applied[]> {
  return withScratchRoot(lower, async (root) => {
    const zones = ZONES.map((zone) => `/usr/share/zoneinfo/${zone}`);
    const script = [
      'mkdir -p /usr/share/zoneinfo/Europe /usr/share/zoneinfo/Asia /etc/texts',
      ...zones.map((zone) => `echo ${zone} >${zone}`),
      'printf "#cloud-config\\nruncmd: [\'echo included >>/etc/told\']\\n" >/etc/texts/more',
      // Of each of Debian's 140 authorities every run with ca_certs would make two links: a third of all the time.
      "sed -i '4,$d' /etc/ca-certificates.conf && update-ca-certificates --fresh >/dev/null",
      // Of a file of an overlay no kernel swaps.
      'rm -f /usr/sbin/swapon && printf "#!/bin/sh\\n" >/usr/sbin/swapon && chmod 755 /usr/sbin/swapon',
      `printf %s "$PROGRAM" >/opt/system.py`,
      `exec python3 /opt/system.py ${program}`,
    ].join('\n');
    const done = await root.run(script, {
      input: JSON.stringify(jobs),
      env: { PROGRAM: readFileSync(join(import.meta.dirname, 'system.py'), 'utf8') },
      binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
      timeoutMs: 900_000,
    });
    assert.equal(done.code, 0, done.stderr);
    return JSON.parse(done.stdout) as Applied[];
  });
}

/** cloud-init makes files for keys where there are none. */
function withoutEmpty(files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).filter(
      ([path, [, , , , text]]) => !(path.endsWith('/authorized_keys') && text === ''),
    ),
  );
}

function between(expected: Files, found: Files): string[] {
  const paths = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return paths
    .filter((path) => JSON.stringify(expected[path]) !== JSON.stringify(found[path]))
    .map(
      (path) =>
        `${path}\n  cloud-init ${JSON.stringify(expected[path])}\n  slipway    ${JSON.stringify(found[path])}`,
    );
}
