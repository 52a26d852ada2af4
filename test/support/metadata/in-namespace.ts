import { join } from 'node:path';
import { execa } from 'execa';
import type { Scenario, ScenarioResult } from './scenario.ts';

const SCENARIO = join(import.meta.dirname, 'scenario.ts');

/** Plays against the clouds' own addresses, in a network namespace that only this call has. Needs root. */
export async function runScenarios(plays: readonly Scenario[]): Promise<ScenarioResult[]> {
  const { stdout } = await execa('unshare', ['-n', process.execPath, SCENARIO], {
    input: JSON.stringify(plays),
    timeout: 600_000,
  });
  return JSON.parse(stdout);
}
