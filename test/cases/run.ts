import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { BUILDER, distPath } from '../../build/platforms.ts';
import { cacheDir } from '../lab/cache/cache.ts';
import { freeAmounts } from '../lab/host/capacity.ts';
import { type Requirements, requirements } from '../lab/lab.ts';
import { run } from '../lab/process/command.ts';
import { watchProcessors } from './busy.ts';
import { keepDurations, longestFirst } from './durations.ts';
import { inLanes, type Lanes } from './lanes.ts';

// npm run test:cases [-- NAME ...] [--jobs N]: the end-to-end cases, one folder each, on real machines. README.md tells more.

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && isCase(entry.name))
  .map(({ name }) => name)
  .sort();

function isCase(name: string): boolean {
  return ['case.yaml', 'run.ts'].some((file) => existsSync(join(import.meta.dirname, name, file)));
}

/** What a case's run.ts says of it, where it has one. */
async function traits(name: string): Promise<{ onlyByName?: boolean; alsoOn?: string }> {
  const program = join(import.meta.dirname, name, 'run.ts');
  return existsSync(program) ? import(pathToFileURL(program).href) : {};
}

/** Those that need not be asked for by their names. */
async function regular(): Promise<string[]> {
  const names: string[] = [];
  for (const name of folders) if ((await traits(name)).onlyByName !== true) names.push(name);
  return names;
}

/** Cases that are asked for by their names, and need no lab on a machine of this kind. */
async function needNoLab(names: readonly string[]): Promise<boolean> {
  const kind = `${process.platform}-${process.arch}`;
  const all = await Promise.all(names.map(traits));
  return names.length > 0 && all.every(({ alsoOn }) => alsoOn === kind);
}

/** A case may have up to three machines; MB that it takes. */
const CASE_MEMORY = 3000;
/** Cases wait for kubelets and API servers much of their time: this many for each processor keep it busy, most of the time. */
const JOBS_OF_PROCESSOR = 2;
/** Some do nothing but wait: then up to this many. */
const MOST_OF_PROCESSOR = 4;
const MOST_JOBS = 8;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { jobs: { type: 'string' } },
  });
  const unknown = positionals.find((name) => !folders.includes(name));
  if (unknown) throw new Error(`there is no case "${unknown}"; there are: ${folders.join(', ')}`);
  const able = await requirements();
  const hasLab = able.ok;
  if (!hasLab && !(await needNoLab(positionals))) return skip(able);
  const wanted = longestFirst(positionals.length > 0 ? positionals : await regular());
  const started = performance.now();
  const busy = watchProcessors();
  // Cases start the same programs some hundred times: Node.js need not compile their sources each time.
  process.env.NODE_COMPILE_CACHE ??= join(cacheDir(), 'node');
  process.env.SLIPWAY_CONTROLLER_PROGRAM ??= distPath('slipway-controller', BUILDER);
  const lanes = hasLab ? lanesFrom(values.jobs) : { usual: 1, most: 1 };
  const live = wanted.length === 1 || lanes.most === 1;
  const ends: End[] = [];
  await inLanes(wanted, lanes, async (name) => void ends.push(await runCase(name, live)));
  const passed = ends.filter(({ ok }) => ok);
  keepDurations(Object.fromEntries(passed.map(({ name, seconds }) => [name, seconds])));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const failed = ends.filter(({ ok }) => !ok).map(({ name }) => name);
  const names = failed.length > 0 ? `: ${failed.sort().join(', ')}` : '';
  if (ends.length > 1) {
    console.log(`\n${longestLast(ends).join('\n')}`);
    // Once more at the end, where somebody who reads a long log, or what is left of it, looks first.
    for (const { ok, name, said } of ends) if (!ok) console.log(`\n▶ ${name}, which failed:\n${said}`);
  }
  console.log(
    `\ncases: ${passed.length} passed, ${failed.length} failed${names} (${seconds} s, processors busy ${Math.round(busy() * 100)} % of it)`,
  );
  return failed.length > 0 ? 1 : 0;
}

/** What --jobs says; else as many as keep this host's processors busy and fit into its memory. */
function lanesFrom(said: string | undefined): Lanes {
  const fitting = Math.max(1, Math.min(MOST_JOBS, Math.floor(freeAmounts().memory / CASE_MEMORY)));
  const [usual, most] = [JOBS_OF_PROCESSOR, MOST_OF_PROCESSOR].map((jobs) =>
    said === undefined ? Math.min(fitting, jobs * availableParallelism()) : Number(said),
  ) as [number, number];
  if (!Number.isInteger(usual) || usual < 1) throw new Error(`--jobs takes a number from 1, not "${said}"`);
  return { usual, most };
}

/** Skipping is told, not hidden: a machine that should have run them must not look green. */
function skip({ missing }: Requirements): number {
  console.log(
    `The cases need real machines, which cannot be made here:\n${missing.map((line) => `  - ${line}`).join('\n')}`,
  );
  console.log('The unit tests run without: npm run test:unit');
  return process.env.CI ? 1 : 0;
}

interface End {
  name: string;
  ok: boolean;
  seconds: number;
  /** Its last line: the verdict, how long it took, and its CPU time. */
  told: string;
  /** All that it said. */
  said: string;
}

/** What it says is printed when it has ended, or as it comes. */
async function runCase(name: string, live: boolean): Promise<End> {
  console.log(`\n▶ ${name}: ${await aboutOf(name)}`);
  const started = performance.now();
  const program = join(import.meta.dirname, 'run-one.ts');
  const onOutput = live ? (text: string) => process.stdout.write(text) : undefined;
  const { code, stdout, stderr } = await run(process.execPath, [program, name], onOutput ? { onOutput } : {});
  const said = `${stderr}${stdout.trimEnd()}`;
  if (!live) console.log(`\n${said}`);
  const seconds = (performance.now() - started) / 1000;
  return { name, ok: code === 0, seconds, told: said.split('\n').at(-1) ?? '', said };
}

/** Of those that passed; those that failed come last of all. */
function longestLast(ends: readonly End[]): string[] {
  return [...ends]
    .sort((a, b) => Number(b.ok) - Number(a.ok) || a.seconds - b.seconds)
    .map(({ told }) => told);
}

async function aboutOf(name: string): Promise<string> {
  const folder = join(import.meta.dirname, name);
  if (!existsSync(join(folder, 'case.yaml')))
    return (await import(pathToFileURL(join(folder, 'run.ts')).href)).about;
  return (await import('./case-file.ts')).readCase(folder).about;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`cases: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
