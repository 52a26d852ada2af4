import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LabError, runOk } from '../process/command.ts';

/** The Debian release that the machines are made of, by its code name: `$SLIPWAY_LAB_SUITE`, else bookworm (Debian 12). */
export const SUITE = suiteOf(process.env);

/** @throws LabError where it is no code name */
export function suiteOf({ SLIPWAY_LAB_SUITE: suite = '' }: NodeJS.ProcessEnv): string {
  if (suite === '') return 'bookworm';
  if (/^[a-z]{3,20}$/.test(suite)) return suite;
  throw new LabError(`SLIPWAY_LAB_SUITE=${suite}: give the code name of a release of Debian, such as trixie`);
}

/** One place where the release's packages come from, as the host itself is set up to reach it. */
interface AptSource {
  uri: string;
  suites: string[];
  components: string[];
  signedBy?: string;
}

/** Read both file formats of /etc/apt (one-line and deb822) and keep what serves `suite` or its updates. */
export function parseAptSources(
  text: string,
  format: 'list' | 'sources',
  suite: string = SUITE,
): AptSource[] {
  const found = format === 'list' ? parseOneLine(text) : parseDeb822(text);
  return found
    .map((source) => ({
      ...source,
      suites: source.suites.filter((s) => s === suite || s.startsWith(`${suite}-`)),
    }))
    .filter((source) => source.suites.length > 0);
}

function parseOneLine(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(\S.*)$/.exec(line.replace(/#.*/, '').trim());
    if (!match) continue;
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const signedBy = /signed-by=(\S+)/.exec(options)?.[1];
    sources.push({
      uri,
      suites: [suite],
      components: components.split(/\s+/),
      ...(signedBy ? { signedBy } : {}),
    });
  }
  return sources;
}

function parseDeb822(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const stanza of text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/)) {
    const field = (name: string): string[] => {
      const match = new RegExp(`^${name}:([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, 'im').exec(stanza);
      return (match?.[1] ?? '').split(/\s+/).filter((word) => word !== '');
    };
    if (!field('Types').includes('deb') || /^no$/i.test(field('Enabled')[0] ?? 'yes')) continue;
    const signedBy = field('Signed-By');
    for (const uri of field('URIs')) {
      const known = signedBy.length === 1 && signedBy[0]?.startsWith('/') ? { signedBy: signedBy[0] } : {};
      sources.push({ uri, suites: field('Suites'), components: field('Components'), ...known });
    }
  }
  return sources;
}

/**
 * The host's own sources for the release, so that mirrors and proxies stay as its owner chose them; where it has only those of its
 * own release, the same archives are asked for this one. `$SLIPWAY_LAB_MIRROR` (a Debian archive URI) goes first.
 * @throws LabError where the host knows no source for the release.
 */
export async function hostAptSources(env: NodeJS.ProcessEnv = process.env): Promise<AptSource[]> {
  if (env.SLIPWAY_LAB_MIRROR) return [{ uri: env.SLIPWAY_LAB_MIRROR, suites: [SUITE], components: ['main'] }];
  const sources = await aptSourcesFor(SUITE);
  if (!sources.some((source) => source.suites.includes(SUITE))) {
    const own = await ownSuite();
    const others = own === undefined ? [] : asSuite(await aptSourcesFor(own), own, SUITE);
    if (others.length > 0) return others;
    throw new LabError(
      `this host's apt knows no source for Debian ${SUITE}, of which the lab's machines are made: ` +
        'set SLIPWAY_LAB_MIRROR to the URI of a Debian archive (the part before /dists/)',
    );
  }
  return sources;
}

async function aptSourcesFor(suite: string): Promise<AptSource[]> {
  const sources: AptSource[] = [];
  for (const file of await aptFiles()) {
    const format = file.endsWith('.list') ? 'list' : 'sources';
    sources.push(...parseAptSources(await readFile(file, 'utf8'), format, suite));
  }
  return sources;
}

/** The code name of the host's own release, where it is Debian. */
async function ownSuite(): Promise<string | undefined> {
  const text = await readFile('/etc/os-release', 'utf8').catch(absentAsEmptyText);
  return /^ID=debian$/m.test(text) ? /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1] : undefined;
}

function absentAsEmptyText(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

async function aptFiles(): Promise<string[]> {
  const parts = '/etc/apt/sources.list.d';
  const listed = await readdir(parts).catch(absentAsEmpty);
  const main = await readdir('/etc/apt').catch(absentAsEmpty);
  return [
    ...main.filter((name) => name === 'sources.list').map((name) => join('/etc/apt', name)),
    ...listed.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(parts, name)),
  ];
}

function absentAsEmpty(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** The same archives, asked for another release of Debian. */
export function inSuite(sources: readonly AptSource[], suite: string): AptSource[] {
  return suite === SUITE ? [...sources] : asSuite(sources, SUITE, suite);
}

function asSuite(sources: readonly AptSource[], from: string, to: string): AptSource[] {
  return sources
    .filter((source) => source.suites.includes(from))
    .map((source) => ({ ...source, suites: [to] }));
}

/** A frozen copy of an archive outlives its own index, which apt then refuses in the middle of much else. */
export async function explainingApt<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const said = error instanceof LabError ? error.message : '';
    const [, file, since] = /Release file for (\S+) is expired \(invalid since ([^)]*)\)/.exec(said) ?? [];
    if (file === undefined) throw error;
    throw new LabError(
      `the mirror is frozen: its index ${file} has been out of date for ${since}, so apt takes no packages from it; ` +
        'set SLIPWAY_LAB_MIRROR to the URI of an archive that is kept up to date',
    );
  }
}

/** The sources as deb822 text; `types` chooses binary or source packages. */
export function formatSources(sources: readonly AptSource[], types: 'deb' | 'deb-src' = 'deb'): string {
  return sources
    .map((source) => {
      const signed = source.signedBy === undefined ? '' : `Signed-By: ${source.signedBy}\n`;
      return `Types: ${types}\nURIs: ${source.uri}\nSuites: ${source.suites.join(' ')}\nComponents: main\n${signed}`;
    })
    .join('\n');
}

/**
 * An apt of our own below `dir`: its own sources, lists and caches, so the host's apt is not touched.
 * Returns a function that runs apt-get with it. `suite`: another release of Debian than the machines' own.
 */
export async function privateApt(
  dir: string,
  types: 'deb' | 'deb-src',
  suite: string = SUITE,
): Promise<(args: string[], cwd: string) => Promise<string>> {
  for (const sub of ['lists/partial', 'archives/partial']) await mkdir(join(dir, sub), { recursive: true });
  const sourceList = join(dir, 'lab.sources');
  await writeFile(sourceList, formatSources(inSuite(await hostAptSources(), suite), types));
  const options = {
    'Dir::Etc::sourcelist': sourceList,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(dir, 'lists'),
    'Dir::Cache': dir,
    'Dir::Cache::archives': join(dir, 'archives'),
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '3',
  };
  const flags = Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const apt = (args: string[], cwd: string) =>
    explainingApt(runOk('apt-get', ['-q', ...flags, ...args], { cwd }));
  await apt(['update'], dir);
  return apt;
}
