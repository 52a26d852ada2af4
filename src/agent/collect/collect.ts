/**
 * Collects what support needs to diagnose a node into one archive, bounded in size and time, without secrets.
 * It never fails; README.txt lists what is missing or timed out.
 */

import { zstdCompressSync } from 'node:zlib';
import { type TarEntry, tar } from '../../kit/bytes/tar.ts';
import { errorMessage } from '../../kit/errors.ts';
import { redact } from '../../secrets/redact.ts';
import { rememberSecrets } from '../../secrets/remembered.ts';
import { CONFIG_FILES, PROXY_FILE, RUN_DIR } from '../document/paths.ts';
import type { PlaceBelow } from '../host/files.ts';
import { homeDirectories } from '../host/home-directories.ts';
import type { Host } from '../host/host.ts';
import { certificatesDirOf, PKI } from '../kubeadm/config/kubeadm-files.ts';
import { redactSettings, secretsIn } from '../redaction/secrets.ts';
import { type Source, sources } from './sources.ts';

const MAX_COMMAND_BYTES = 512 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const COMMAND_MS = 3_000;
const AT_ONCE = 4;

interface CollectOptions {
  agent: string;
  /** After this time, it takes what it has. */
  limitMs: number;
  /** What the caller knows, such as the plan. */
  more?: { path: string; text: string }[];
}

interface Collected {
  /** A tar archive, compressed with zstd. */
  archive: Buffer;
  files: number;
  /** Paths missing from the archive, each with the reason. */
  missing: string[];
}

export async function collect(host: Host, { agent, limitMs, more = [] }: CollectOptions): Promise<Collected> {
  const limit = new AbortController();
  const timer = host.clock.sleep(limitMs, limit.signal).then(
    () => limit.abort(),
    () => undefined,
  );
  const found: (string | undefined)[] = more.map(({ text }) => text);
  const wanted: Pick<Source, 'path' | 'settings'>[] = [...more];
  const missing: string[] = [];
  try {
    rememberSecrets(await knownSecrets(host));
    const list = await sources(host);
    wanted.push(...list);
    await inParallel(list, limit.signal, async (source, index) => {
      const answer = await read(host, source, limit.signal);
      if (limit.signal.aborted && 'why' in answer) return;
      if ('text' in answer) found[more.length + index] = answer.text;
      else missing.push(`${source.path}: ${answer.why}`);
    });
    for (const [index, { path }] of wanted.entries()) {
      if (found[index] === undefined && !missing.some((line) => line.startsWith(`${path}: `)))
        missing.push(`${path}: not within ${limitMs / 1000} s`);
    }
  } finally {
    limit.abort();
    await timer;
  }
  const entries = pack(wanted, found, missing);
  const now = host.clock.now();
  const about = readme(host, agent, now, missing);
  entries.unshift({ path: 'README.txt', content: Buffer.from(redact(about)) });
  const root = `slipway-${safeName(host.hostname())}`;
  const archive = tar(
    entries.map(({ path, content }) => ({ path: `${root}/${path}`, content })),
    now.getTime() / 1000,
  );
  return { archive: zstdCompressSync(archive), files: entries.length, missing };
}

function pack(
  wanted: Pick<Source, 'path' | 'settings' | 'without'>[],
  found: (string | undefined)[],
  missing: string[],
): TarEntry[] {
  const entries: TarEntry[] = [];
  let left = MAX_BYTES;
  for (const [index, { path, settings, without }] of wanted.entries()) {
    const whole = found[index];
    if (whole === undefined) continue;
    const text = without ? whole.replace(without, '') : whole;
    const content = Buffer.from(settings ? redactSettings(text) : redact(text));
    if (content.length > left) missing.push(`${path}: the archive is full`);
    else {
      left -= content.length;
      entries.push({ path, content });
    }
  }
  return entries;
}

type Answer = { text: string } | { why: string };

async function read(host: Host, source: Source, signal: AbortSignal): Promise<Answer> {
  try {
    if ('argv' in source) return await runCommand(host, source.argv, signal);
    return 'place' in source ? await readBelow(host, source) : await readFile(host, source);
  } catch (error) {
    return { why: errorMessage(error) };
  }
}

/**
 * Reads the end of a file, which is more useful than its beginning. Skips a truncated first line, because
 * redaction cannot recognise half a secret.
 */
async function readFile(host: Host, { file, maxBytes }: { file: string; maxBytes: number }): Promise<Answer> {
  const stat = await host.files.stat(file);
  if (stat === undefined) return { why: 'not there' };
  // Files in /proc have no size until somebody reads them.
  const offset = Math.max(0, stat.size - maxBytes);
  const text = (await host.files.readFrom(file, offset, maxBytes)).toString('utf8');
  return { text: offset === 0 ? text : text.slice(text.indexOf('\n') + 1) };
}

/** Like readFile, for a file below a directory that pods can write to. */
async function readBelow(
  host: Host,
  { place, maxBytes }: { place: PlaceBelow; maxBytes: number },
): Promise<Answer> {
  const end = await host.files.readEndBelow(place, maxBytes);
  if (end === undefined) return { why: 'not there' };
  const text = end.bytes.toString('utf8');
  return { text: end.isWhole ? text : text.slice(text.indexOf('\n') + 1) };
}

async function runCommand(host: Host, argv: [string, ...string[]], signal: AbortSignal): Promise<Answer> {
  const result = await host.processes.run({
    argv,
    env: { LC_ALL: 'C' },
    timeoutMs: COMMAND_MS,
    keepBytes: MAX_COMMAND_BYTES,
    signal,
  });
  if (signal.aborted) return { why: 'too late' };
  if (result.timedOut) return { why: `not within ${COMMAND_MS / 1000} s` };
  const cut = Buffer.byteLength(result.stdout) >= MAX_COMMAND_BYTES;
  const stdout = cut ? result.stdout.slice(result.stdout.indexOf('\n') + 1) : result.stdout;
  if (stdout.trim() !== '') return { text: stdout };
  if (result.exitStatus === 127) return { why: `there is no ${argv[0]}` };
  return { why: result.stderr.trim().split('\n').at(-1) || 'nothing' };
}

async function inParallel<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  const late = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, lane)), late]);
}

/** Their secrets are cut out elsewhere; the files themselves are left out or collected without secrets. */
const SECRET_FILES = [
  PROXY_FILE,
  '/proc/cmdline',
  ...Object.values(CONFIG_FILES).filter((path) => path.endsWith('.yaml')),
  `${RUN_DIR}/kubeadm.yaml`,
  '/etc/containerd/config.toml',
  ...['admin', 'super-admin', 'bootstrap-kubelet', 'kubelet', 'controller-manager', 'scheduler'].map(
    (name) => `/etc/kubernetes/${name}.conf`,
  ),
  '/var/lib/kubelet/config.json',
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
  '/var/lib/kubelet/pki/kubelet.key',
  '/var/lib/cloud/seed/nocloud/user-data',
  '/var/lib/cloud/instance/user-data.txt',
];

/** Few people log in to more than five registries, and few nodes have more than a handful of people. */
const FROM_HOMES = { bytes: 64 * 1024, ofEach: 32, ofAll: 128 };

/** In the reporter's settings, in YAML and on the kernel's command line. */
const TOKEN_FILE = /\btokenFile["']?[:=][^\S\n]*["']?(\/[^\s"',}]+)/g;

async function knownSecrets(host: Host): Promise<Set<string>> {
  const found = new Set<string>();
  const tokenFiles = new Set<string>();
  const inside = async (directory: string): Promise<string[]> =>
    (await host.files.list(directory)).map((name) => `${directory}/${name}`);
  const directories = new Set([PKI, await certificatesDirOf(host).catch(() => PKI)]);
  const keys: string[] = [];
  for (const directory of directories)
    keys.push(...(await inside(directory)), ...(await inside(`${directory}/etcd`)));
  const paths = [
    ...SECRET_FILES,
    ...(await inside('/run/kubeadm')),
    ...(await inside(CONFIG_FILES.dropIns)),
    ...keys.filter((path) => path.endsWith('.key')),
  ];
  for (const path of paths) {
    const bytes = await host.files.readIfPresent(path, 1024 * 1024).catch(() => undefined);
    const text = bytes?.toString('utf8') ?? '';
    for (const secret of secretsIn(text)) found.add(secret);
    for (const [, tokenFile = ''] of text.matchAll(TOKEN_FILE)) tokenFiles.add(tokenFile);
  }
  for (const secret of await secretsInHomes(host)) found.add(secret);
  for (const path of tokenFiles) {
    const bytes = await host.files.readIfPresent(path, 4096).catch(() => undefined);
    if (bytes !== undefined) found.add(bytes.toString('utf8').trim());
  }
  return found;
}

/**
 * What users wrote down for their registries, so much of it and no more: each secret is looked for in each line of what is
 * collected, and is cut out there, whatever it is. What else they write there, such as files to be read, counts for nothing.
 */
async function secretsInHomes(host: Host): Promise<Set<string>> {
  const found = new Set<string>();
  for (const home of await homeDirectories(host)) {
    const bytes = await host.files
      .readIfPresent(`${home}/.docker/config.json`, FROM_HOMES.bytes)
      .catch(() => undefined);
    const own = new Set(secretsIn(bytes?.toString('utf8') ?? ''));
    for (const secret of [...own].slice(0, FROM_HOMES.ofEach))
      if (found.size < FROM_HOMES.ofAll) found.add(secret);
  }
  return found;
}

function readme(host: Host, agent: string, now: Date, missing: string[]): string {
  return `What Slipway ${agent} collected on ${host.hostname()} at ${now.toISOString()}.
Tokens, keys, passwords and what else looks like a secret are cut out; look through it all the same before you hand
it on. It holds names, addresses and log lines of this machine.

Not here:
${missing.length === 0 ? '  nothing is missing' : missing.map((line) => `  ${line}`).join('\n')}
`;
}

const safeName = (name: string): string => name.replace(/[^A-Za-z0-9.-]/g, '_').slice(0, 63) || 'machine';
