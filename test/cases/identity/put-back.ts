import assert from 'node:assert/strict';
import type { RestartableMachine } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { attestedIs, nodes, refused, reports } from './governed.ts';

/** A virtual machine is put back to a snapshot, its TPM with it. */
export async function putBack(scene: Scene, machine: RestartableMachine): Promise<void> {
  const { cluster, say } = scene;
  await cluster.createMachine('r1', { endorsementKey: machine.endorsementKey });
  await reports(scene, machine, 'r1');
  const first = await counters(scene);
  await machine.restart('keep');
  await machine.restart('as it was');
  await reports(scene, machine, 'r1');
  const second = await counters(scene);
  assert.equal(second.resets, first.resets + 2);
  say('a TPM that goes on counting is the same machine, after each start');

  await machine.restart('put back');
  await refused(scene, machine, 'r1', /put back to an earlier state or cleared: it was started \d+ times/);
  const { message } = await attestedIs(scene, 'r1', 'False', 'TpmStateWentBack');
  assert.match(message, new RegExp(`started ${second.resets} times, and is at ${second.resets - 1} again`));
  await nodes('release', 'default/r1', scene);
  await reports(scene, machine, 'r1');
  await attestedIs(scene, 'r1', 'True', 'ProvedByTpm');
  say('one that was put back to a snapshot is refused, its Machine says so, and release takes it anew');
}

async function counters({ cluster }: Scene): Promise<{ resets: number }> {
  const { spec } = await cluster.node('r1');
  assert.ok(spec.counters);
  return spec.counters;
}
