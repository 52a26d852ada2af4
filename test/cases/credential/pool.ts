import { strict as assert } from 'node:assert';
import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObtainedCredential } from '../../../src/agent/credential/credential.ts';
import { eventually } from '../../support/eventually.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../approve/scene.ts';
import { type Cluster, KubeletMachine } from './kubelet-machine.ts';

/**
 * Machines of a pool come all at once, before there are Machines for them, with the same settings: each becomes one Machine of
 * the pool, whose certificate is of no other one, and nothing is shared that one could take from another.
 */
export async function pool(scene: Scene, cluster: Cluster, tpms: readonly MachineWithTpm[]): Promise<void> {
  const names = tpms.map((_, at) => `pool-${at + 1}`);
  const machines = await Promise.all(tpms.map((tpm, at) => KubeletMachine.of(cluster, names[at] ?? '', tpm)));
  const tries = { refused: 0 };
  const given = machines.map((machine) => insist(machine, tries));
  await eventually('each to have come in vain', async () => tries.refused >= machines.length);
  await Promise.all(names.map((name) => scene.cluster.createMachine(name, { cluster: 'pool' })));
  const all = await Promise.all(given);

  const subjects = all.map(({ credential }) => new X509Certificate(credential.certificate).subject);
  assert.deepEqual(
    subjects,
    names.map((name) => `O=system:nodes\nCN=system:node:${name}`),
  );
  assert.equal(new Set(all.map(({ credential }) => credential.key)).size, machines.length);
  const nodes = await Promise.all(names.map((name) => scene.cluster.node(name)));
  const keys = nodes.map(({ spec }) => spec.enrolment.endorsementKey);
  assert.deepEqual(
    keys,
    tpms.map(({ endorsementKey }) => endorsementKey),
  );
  assert.deepEqual(
    nodes.map(({ spec }) => spec.enrolment.token),
    names.map(() => undefined),
  );
  scene.say(
    `${names.length} machines of a pool at once, before their Machines: each has an identity and a kubelet's certificate of its own`,
  );
}

/** As a kubelet does, until it has one. */
async function insist(machine: KubeletMachine, tries: { refused: number }): Promise<ObtainedCredential> {
  for (let first = true; ; first = false) {
    try {
      return await machine.give();
    } catch (error) {
      assert.match(String(error), /Credential|controller|approved|localhost/);
      if (first) tries.refused += 1;
      await sleep(500);
    }
  }
}
