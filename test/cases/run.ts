import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDir } from '../lab/cache/cache.ts';
import { freeAmounts } from '../lab/host/capacity.ts';
import { type Requirements, requirements } from '../lab/lab.ts';
import { run } from '../lab/process/command.ts';

// npm run test:cases [-- NAME ...] [--jobs N]: the end-to-end cases, one folder each, on real machines. README.md tells more.

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && isCase(entry.name))
  .map(({ name }) => name)
  .sort();

function isCase(name: string): boolean {
  return ['case.yaml', 'run.ts'].some((file) => existsSync(join(import.meta.dirname, name, file)));
}

/** Those that take longest, first: what begins last ends soon. The others follow by name. */
const LONGEST = [
  'controller',
  'report',
  'cluster',
  'repeat',
  'around',
  'preflight',
  'failures',
  'survival',
  'image',
];

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { jobs: { type: 'string' } },
  });
  const unknown = positionals.find((name) => !folders.includes(name));
  if (unknown) throw new Error(`there is no case "${unknown}"; there are: ${folders.join(', ')}`);
  const able = await requirements();
  if (!able.ok) return skip(able);
  const wanted = [...(positionals.length > 0 ? positionals : folders)].sort(byLength);
  const started = performance.now();
  // Cases start the same programs some hundred times: Node.js need not compile their sources each time.
  process.env.NODE_COMPILE_CACHE ??= join(cacheDir(), 'node');
  const failed = await inLanes(wanted, jobsFrom(values.jobs));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const names = failed.length > 0 ? `: ${failed.sort().join(', ')}` : '';
  console.log(
    `\ncases: ${wanted.length - failed.length} passed, ${failed.length} failed${names} (${seconds} s)`,
  );
  return failed.length > 0 ? 1 : 0;
}

/** What --jobs says; else as many as this host has processors, and memory for: a case has up to three machines. */
function jobsFrom(said: string | undefined): number {
  const fitting = Math.floor(freeAmounts().memory / 3000);
  const jobs = said === undefined ? Math.max(1, Math.min(3, availableParallelism(), fitting)) : Number(said);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error(`--jobs takes a number from 1, not "${said}"`);
  return jobs;
}

/** Skipping is told, not hidden: a machine that should have run them must not look green. */
function skip({ missing }: Requirements): number {
  console.log(
    `The cases need real machines, which cannot be made here:\n${missing.map((line) => `  - ${line}`).join('\n')}`,
  );
  console.log('The unit tests run without: npm run test:unit');
  return process.env.CI ? 1 : 0;
}

function byLength(a: string, b: string): number {
  const place = (name: string): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return place(a) - place(b) || a.localeCompare(b);
}

/** Some at a time; what one says is printed when it has ended, or as it comes where it is the only one. */
async function inLanes(names: readonly string[], lanes: number): Promise<string[]> {
  const [rest, failed] = [[...names], [] as string[]];
  const lane = async (): Promise<void> => {
    for (let name = rest.shift(); name; name = rest.shift()) {
      if (!(await runCase(name, names.length === 1 || lanes === 1))) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}

async function runCase(name: string, live: boolean): Promise<boolean> {
  console.log(`\n▶ ${name}: ${await aboutOf(name)}`);
  const program = join(import.meta.dirname, 'run-one.ts');
  const onOutput = live ? (text: string) => process.stdout.write(text) : undefined;
  const { code, stdout, stderr } = await run(process.execPath, [program, name], onOutput ? { onOutput } : {});
  if (!live) console.log(`\n${stderr}${stdout.trimEnd()}`);
  return code === 0;
}

async function aboutOf(name: string): Promise<string> {
  const folder = join(import.meta.dirname, name);
  if (!existsSync(join(folder, 'case.yaml'))) return (await import(join(folder, 'run.ts'))).about;
  return (await import('./case-file.ts')).readCase(folder).about;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`cases: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
