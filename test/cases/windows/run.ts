import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWindows } from '../../../build/binary/windows/windows.ts';
import { projectVersion } from '../../../build/project.ts';
import { type WindowsMachine, withWindowsMachine } from './windows-machine.ts';

export const about = 'slipway.exe, built on Linux, works: Wine runs it';

const SLIPWAY = 'S:\\slipway.exe';

export function run(say: (line: string) => void): Promise<void> {
  return withWindowsMachine(say, async (machine) => {
    await buildWindows(join(machine.shared, 'slipway.exe'));
    copyFileSync(join(import.meta.dirname, 'worker.user-data'), join(machine.shared, 'user-data'));
    await expectAnswers(machine);
    say('version, plan and check answer as on Linux');
  });
}

async function expectAnswers(machine: WindowsMachine): Promise<void> {
  const version = await machine.run(SLIPWAY, 'version', '--output', 'json');
  assert.partialDeepStrictEqual(JSON.parse(version.stdout), {
    version: projectVersion(),
    platform: 'win32-x64',
  });
  const plan = await machine.run(SLIPWAY, 'plan', '--user-data', 'S:\\user-data');
  assert.deepEqual({ status: plan.status, stderr: plan.stderr }, { status: 0, stderr: '' });
  assert.match(plan.stdout, /write \/run\/kubeadm\/kubeadm-join-config\.yaml.*kubeadm join --config/s);
  const check = await machine.run(SLIPWAY, 'check', 'S:\\user-data');
  assert.equal(check.status, 1, check.stderr);
  assert.match(check.stdout, /^S:\\user-data:5:5: error: .*\[join-without-ca-hash\]/m);
  const missing = await machine.run(SLIPWAY, 'check', 'S:\\nothing');
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /S:\\nothing cannot be read: .*no such file or directory/);
}
