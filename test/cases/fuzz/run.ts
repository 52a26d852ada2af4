import assert from 'node:assert/strict';
import { keepFinding } from '../../fuzz/report.ts';
import { runSession } from '../../fuzz/session.ts';
import { TARGETS } from '../../fuzz/targets/all.ts';

export const about =
  'what strangers and broken disks can hand over is read or refused, never worse (more: npm run fuzz)';

/** The same every time, so that a test run does not hang on luck; `npm run fuzz` looks anew. */
const SEEDS = ['1', '2', '3'];
/** Inputs of each target and seed. */
const RUNS = 40;

export async function run(say: (line: string) => void): Promise<void> {
  const targets = TARGETS.map(({ name }) => name);
  for (const seed of SEEDS) {
    let inputs = 0;
    const count = (_target: string, runs: number) => {
      inputs += runs;
    };
    const findings = await runSession({ targets, seed, runs: RUNS, examples: false, done: count });
    assert.equal(findings.length, 0, `\n${findings.map(keepFinding).join('\n')}`);
    say(`${inputs} inputs to ${targets.length} readers, seed ${seed}`);
  }
}
