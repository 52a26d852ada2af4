import { trees } from './trees.ts';
import { verdicts } from './verdicts.ts';
import { written } from './written.ts';

export const about = 'Ignition configs are judged and applied as by real ignition-validate and Ignition';

export async function run(say: (line: string) => void): Promise<void> {
  await verdicts(say);
  await trees(say);
  await written(say);
}
