import assert from 'node:assert/strict';
import { join } from 'node:path';
import { execa } from 'execa';
import { compareWithDsIdentify } from './ds-identify.ts';
import { SCENES } from './machines.ts';

export const about =
  'user data is found on each cloud by what the machine shows, as ds-identify has it, with what comes along';

export async function run(say: (line: string) => void): Promise<void> {
  await compareWithDsIdentify(say);
  const inside = ['-n', process.execPath, join(import.meta.dirname, 'inside.ts')];
  const { stdout, stderr, exitCode } = await execa('unshare', inside, { reject: false, timeout: 600_000 });
  for (const line of stdout.split('\n').filter((each) => each !== '')) say(line);
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout.split('\n').length, SCENES.length);
}
