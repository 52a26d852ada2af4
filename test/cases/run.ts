import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requirements } from '../lab/lab.ts';

// npm run test:cases [-- NAME ...]: the end-to-end cases, one folder each, one after the other, on real machines.

/** What each case's run.ts exports; it throws when the product does not do what it should. */
interface Case {
  /** One sentence: what it shows. */
  about: string;
  run(say: (line: string) => void): Promise<void>;
}

const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const unknown = positionals.find((name) => !folders.includes(name));
  if (unknown) throw new Error(`there is no case "${unknown}"; there are: ${folders.join(', ')}`);
  const { ok, missing } = await requirements();
  if (!ok) {
    console.log(
      `The cases need real machines, which cannot be made here:\n${missing.map((line) => `  - ${line}`).join('\n')}`,
    );
    console.log('The unit tests run without: npm run test:unit');
    // Skipping is told, not hidden: a machine that should have run them must not look green.
    return process.env.CI ? 1 : 0;
  }
  let failed = 0;
  const wanted = positionals.length > 0 ? positionals : folders;
  for (const name of wanted) {
    if (!(await runCase(name))) failed += 1;
  }
  console.log(`\ncases: ${wanted.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

async function runCase(name: string): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    const { about, run }: Case = await import(join(import.meta.dirname, name, 'run.ts'));
    console.log(`\n▶ ${name}: ${about}`);
    await run((line) => console.log(`  ${line} (${seconds()})`));
    console.log(`✔ ${name} (${seconds()})`);
    return true;
  } catch (error) {
    console.log(`✘ ${name} (${seconds()})\n${error instanceof Error ? error.stack : String(error)}`);
    return false;
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`cases: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
