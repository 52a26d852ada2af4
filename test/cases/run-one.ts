import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countCpu } from '../lab/host/cpu-time.ts';
import { cpuSecondsOfLabs } from '../lab/lab.ts';
import { play } from './play.ts';

// node run-one.ts NAME: one case, to its end. run.ts starts it for each, so that what they say does not mix.

const LINGER_MS = 5_000;

/** What a case's run.ts exports; it throws when the product does not do what it should. */
interface Program {
  /** One sentence: what it shows. */
  about: string;
  run(say: (line: string) => void): Promise<void>;
}

async function main(name: string): Promise<number> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const say = (line: string): void => console.log(`  ${line} (${seconds()})`);
  const folder = join(import.meta.dirname, name);
  // Who is not root, or not on Linux, has no group of its own: a case that needs no lab is not counted there.
  const counted = process.getuid?.() === 0 ? await countCpu() : async () => 0;
  let sign = '✘';
  try {
    if (existsSync(join(folder, 'case.yaml'))) await play(folder, say);
    if (existsSync(join(folder, 'run.ts'))) {
      const { run }: Program = await import(pathToFileURL(join(folder, 'run.ts')).href);
      await run(say);
    }
    sign = '✔';
    return 0;
  } catch (error) {
    for (let cause = error; cause; cause = cause instanceof Error ? cause.cause : undefined)
      console.log(cause instanceof Error ? cause.stack : String(cause));
    return 1;
  } finally {
    const cpu = (await counted()) + cpuSecondsOfLabs();
    console.log(`${sign} ${name} (${seconds()}, ${cpu.toFixed(1)} s of CPU time)`);
  }
}

process.exitCode = await main(process.argv[2] ?? '');
// Nobody learns of a case that has failed as long as something that it has left keeps this process.
setTimeout(() => process.exit(), LINGER_MS).unref();
