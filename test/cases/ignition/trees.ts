import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { openShared } from '../../../src/agent/steps/kind/shared.ts';
import { loadSteps } from '../../../src/agent/steps/kind/step-kind.ts';
import { plan } from '../../../src/agent/steps/plan.ts';
import { readUserData } from '../../../src/agent/userdata/read-user-data.ts';
import { runIgnition } from '../../lab/lab.ts';
import { withScratchDir } from '../../lab/root/in-root.ts';
import { Choices } from './random.ts';

const DOCUMENTS = 100;
/** Behind those, so many that are merged with others or replaced by one. */
const RENDERED = 40;

/** Real Ignition and Slipway's steps, each on a directory of its own: the trees must be the same. */
export async function trees(say: (line: string) => void): Promise<void> {
  const counts = { same: 0, refused: 0, rendered: 0 };
  for (let number = 0; number < DOCUMENTS + RENDERED; number += 1) {
    const isRendered = number >= DOCUMENTS;
    const choices = new Choices(number);
    const config = JSON.stringify(isRendered ? renderedOf(choices) : configOf(choices), undefined, 1);
    const isSame = await compared(config);
    counts[isSame ? (isRendered ? 'rendered' : 'same') : 'refused'] += 1;
  }
  assert.ok(counts.same >= 60 && counts.rendered >= 15, JSON.stringify(counts));
  say(
    `${counts.same} configs and ${counts.rendered} that are merged of several, each applied to a directory: the same bytes, owners, modes and links as with Ignition; ${counts.refused} fail with both`,
  );
}

/** The same tree by both; false where both fail. */
export async function compared(config: string): Promise<boolean> {
  return withScratchDir(async (scratch) => {
    const [theirs, ours] = [join(scratch, 'theirs'), join(scratch, 'ours')];
    for (const root of [theirs, ours]) furnish(root);
    const real = await runIgnition(config, theirs);
    const problem = await apply(config, ours);
    const told = `${config}\n${problem}\n${real.stdout}\n${real.stderr}`;
    assert.equal(problem === undefined, real.code === 0, told);
    if (real.code === 0) assert.deepEqual(listing(ours), listing(theirs), told);
    return real.code === 0;
  });
}

/** What is there before: something of every kind, in the way of something. */
function furnish(root: string): void {
  mkdirSync(join(root, 'etc/selinux'), { recursive: true });
  writeFileSync(join(root, 'etc/selinux/config'), 'SELINUX=disabled\nSELINUXTYPE=targeted\n');
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\ncore:x:500:501::/home/core:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\ncore:x:501:\n');
  writeFileSync(join(root, 'a'), 'a file', { mode: 0o640 });
  chownSync(join(root, 'a'), 7, 8);
  mkdirSync(join(root, 'b'), { mode: 0o711 });
  writeFileSync(join(root, 'b/in'), 'in b');
  symlinkSync('a', join(root, 'c'));
  symlinkSync('b', join(root, 'd'));
  // No hard link: Ignition appends in place, Slipway writes the whole file anew, so that it is never half written.
  writeFileSync(join(root, 'e'), '');
}

/** A config that is merged with others, one of which may be merged or replaced itself. */
function renderedOf(choices: Choices): object {
  const data = (config: object) => ({ source: `data:,${encodeURIComponent(JSON.stringify(config))}` });
  const inner = choices.chance(50) ? { merge: [data(configOf(choices))] } : {};
  const next = { ...configOf(choices), ignition: { version: '3.3.0', config: inner } };
  const other = choices.chance(30) ? { version: '3.1.0', config: { replace: data(next) } } : next.ignition;
  const merge = [
    data({ ...next, ignition: other }),
    ...(choices.chance(30) ? [data(configOf(choices))] : []),
  ];
  return { ...configOf(choices), ignition: { version: '3.3.0', config: { merge } } };
}

/** By what becomes of them, so that not everything is in the way of everything. */
const NAMES = {
  directory: ['b', 'f', 'g', 'h'],
  file: ['a', 'e', 't', 'u', 'v', 'w', 'x'],
  link: ['c', 'd', 'p', 'q', 'r', 's'],
};
/** None of a template: for those, Ignition asks a running systemd for its version. */
const UNITS = ['x.service', 'y.timer', 'z.socket', 'w.mount'];

function configOf(choices: Choices): object {
  const paths = new Set<string>();
  const path = (kind: keyof typeof NAMES): string | undefined => {
    const above = Array.from({ length: choices.below(3) }, () => choices.of(NAMES.directory));
    const found = `/${[...above, choices.of(NAMES[choices.chance(95) ? kind : 'file'])].join('/')}`;
    if (paths.has(found)) return undefined;
    paths.add(found);
    return found;
  };
  const some = <Item>(most: number, make: () => Item | undefined): Item[] =>
    Array.from({ length: choices.below(most + 1) }, make).filter((item) => item !== undefined);
  const node = (kind: keyof typeof NAMES) => {
    const at = path(kind);
    if (at === undefined) return undefined;
    return {
      path: at,
      ...(choices.chance(40) ? { overwrite: choices.chance(85) } : {}),
      ...(choices.chance(40) ? { user: choices.of([{ id: 12 }, { name: 'core' }, { name: 'root' }]) } : {}),
      ...(choices.chance(30) ? { group: choices.of([{ id: 13 }, { name: 'core' }]) } : {}),
    };
  };
  const mode = () => (choices.chance(60) ? { mode: choices.of([0o600, 0o644, 0o755, 0o400, 0o4777]) } : {});
  const resource = () => {
    const text = `${choices.below(1000)} ${'x'.repeat(choices.below(50))}`;
    const source = `data:,${encodeURIComponent(text)}`;
    const packed = `data:;base64,${gzipSync(text).toString('base64')}`;
    const sum = createHash('sha512')
      .update(choices.chance(95) ? text : 'other')
      .digest('hex');
    const hash = choices.chance(30) ? { verification: { hash: `sha512-${sum}` } } : {};
    return choices.chance(25) ? { source: packed, compression: 'gzip', ...hash } : { source, ...hash };
  };
  const file = () => {
    const made = node('file');
    if (made === undefined) return undefined;
    const contents = choices.chance(75) ? { contents: resource() } : {};
    const { overwrite, ...rest } = made;
    return {
      ...rest,
      ...('contents' in contents && overwrite !== undefined ? { overwrite } : {}),
      ...mode(),
      ...contents,
      ...(choices.chance(30) ? { append: some(2, resource) } : {}),
    };
  };
  const files = some(4, file);
  const links = some(3, () => {
    const made = node('link');
    if (made === undefined) return undefined;
    const { user: _, group: __, ...bare } = made;
    const target = choices.of(files.map((one) => one.path).concat('/a'));
    // To nothing: Ignition gives a link that asks for no owner the owner of what it leads to.
    return choices.chance(35)
      ? { ...bare, hard: true, target }
      : { ...made, target: choices.of(['/a', '../none', 'none']) };
  });
  const units = new Map(
    some(4, () => choices.of(UNITS)).map((name) => [
      name,
      {
        name,
        ...(choices.chance(60)
          ? { contents: `[Unit]\nDescription=${name}\n[Install]\nWantedBy=x.target\n` }
          : {}),
        ...(choices.chance(50) ? { enabled: choices.chance(80) } : {}),
        ...(choices.chance(20) ? { mask: choices.chance(70) } : {}),
        ...(choices.chance(40) ? { dropins: [{ name: 'a.conf', contents: '[Unit]\nA=b\n' }] } : {}),
      },
    ]),
  );
  return {
    ignition: { version: '3.3.0' },
    storage: {
      files,
      directories: some(3, () => ({ ...node('directory'), ...mode() })).filter((one) => 'path' in one),
      links,
    },
    systemd: { units: [...units.values()] },
  };
}

/** @returns what went wrong */
async function apply(config: string, root: string): Promise<string | undefined> {
  const host = createLinuxHost({ root });
  const document = await readUserData(Buffer.from(config), { metaData: {}, source: 'test' });
  const errors = document.report.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return errors.map(({ message }) => message).join('\n');
  const shared = openShared(host, document, 'i-1', () => undefined);
  for (const step of await loadSteps(plan(document), shared)) {
    if (step.id.startsWith('units/')) continue;
    const result = await step.run({
      host,
      attempt: 1,
      interrupted: false,
      signal: new AbortController().signal,
      remainingMs: () => 60_000,
      progress: async () => undefined,
      finding: async () => undefined,
      output: () => undefined,
    });
    if (!result.done) return result.failure.cause;
  }
  return undefined;
}

/** Each entry with all that can differ; files with one inode have one number. */
function listing(root: string): string[] {
  const inodes = new Map<number, number>();
  const walk = (path: string): string[] =>
    readdirSync(join(root, path))
      .sort()
      .flatMap((name) => {
        const at = join(path, name);
        if (at === 'etc/.ignition-result.json') return [];
        const stat = lstatSync(join(root, at));
        const known = inodes.get(stat.ino) ?? inodes.size;
        inodes.set(stat.ino, known);
        const owner = `${(stat.mode & 0o7777).toString(8)} ${stat.uid}:${stat.gid}`;
        if (stat.isSymbolicLink())
          return [`${at} -> ${readlinkSync(join(root, at))} ${stat.uid}:${stat.gid}`];
        if (stat.isDirectory()) return [`${at}/ ${owner}`, ...walk(at)];
        return [`${at} ${owner} #${known} ${contentOf(at, readFileSync(join(root, at)))}`];
      });
  return walk('');
}

/** Presets have no order: Ignition of this version writes them as Go's maps come. */
function contentOf(path: string, bytes: Buffer): string {
  if (path.endsWith('.preset')) return bytes.toString().split('\n').sort().join('|');
  return createHash('sha256').update(bytes).digest('hex');
}
