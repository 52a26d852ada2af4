import assert from 'node:assert/strict';
import type { NodeIdentityPolicy } from '../../../src/controller/policy/identity-policy.ts';
import { KeyHolders } from '../../../src/controller/store/key-holders.ts';
import { objectPath } from '../../../src/controller/store/node-bootstrap.ts';
import { eventually } from '../../support/eventually.ts';
import { extendPcr, type MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { attestedIs, nodes, POLICIES, policy, refused, reports } from './governed.ts';
import { bootstrapOf, transportOf } from './transport.ts';

/** What NodeIdentityPolicies let in and keep out, and what the Machines say of it. */
export async function policies(scene: Scene, [one, two]: [MachineWithTpm, MachineWithTpm]): Promise<void> {
  await firstUse(scene, one, two);
  await quarantined(scene, one);
  await changedBoot(scene, one);
  await manual(scene, two);
  await invalid(scene, two);
  await fallback(scene);
  await atOnce(scene, one);
}

/** A Machine that names no key takes the first listed TPM, and no other one and no token ever after. */
async function firstUse(scene: Scene, one: MachineWithTpm, two: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  await policy(scene, 'guarded', {
    selector: { cluster: 'guarded' },
    method: 'tpm',
    endorsementKeys: { firstUse: true, trusted: [one.endorsementKey, two.endorsementKey] },
    registers: { pcrs: [0, 4, 7], firstUse: true },
  });
  for (const name of ['p1', 'p2']) await cluster.createMachine(name, { cluster: 'guarded' });
  const pool = await scene.poolToken();
  await assert.rejects(scene.machine({ hostname: 'p1' }).enrol(pool), /401/);
  await reports(scene, one, 'p1');
  const proved = await attestedIs(scene, 'p1', 'True', 'ProvedByTpm');
  assert.match(proved.message, new RegExp(`${one.endorsementKey}.*PCR 0 to 15.*Policies: guarded`));
  await cluster.conditionIs('p1', 'True');
  // Another TPM for the same Machine, and the same TPM for another Machine.
  await refused(scene, two, 'p1', /EndorsementKeyForeign/);
  await refused(scene, one, 'p2', /says it is Machine p2.*EndorsementKeyForeign/);
  await attestedIs(scene, 'p2', 'False', 'EndorsementKeyForeign');
  await attestedIs(scene, 'p1', 'True', 'ProvedByTpm');
  await eventually('an Event on both', async () => {
    const events = await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']);
    return (
      ['p1', 'p2'].every((name) => events.includes(`"name": "${name}.`)) &&
      /EndorsementKeyForeign/.test(events)
    );
  });
  // Deleting its node lets the same machine in again and no other.
  await cluster.client.request('DELETE', objectPath('default', 'p1'));
  await refused(scene, two, 'p1', /EndorsementKeyForeign|does not accept/);
  await reports(scene, one, 'p1');
  say('a policy of first use ties one TPM to one Machine for good, and says so on the Machine');
}

/** Quarantine ends what is under way, and admission lets it go on. */
async function quarantined(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { host } = machine;
  const { events } = bootstrapOf(scene, 'p1');
  const transport = transportOf(scene, host, 'p1');
  const deliver = () => transport.deliver(events, new AbortController().signal);
  try {
    await deliver();
    await nodes('quarantine', 'default/p1', scene);
    await attestedIs(scene, 'p1', 'False', 'Quarantined');
    await assert.rejects(deliver(), /403|quarantined/);
    // Nor as one that was installed anew.
    await refused(scene, machine, 'p1', /is quarantined/);
    await nodes('admit', 'default/p1', scene);
    await attestedIs(scene, 'p1', 'True', 'ProvedByTpm');
    await eventually('it goes on', () =>
      deliver().then(
        () => true,
        () => false,
      ),
    );
  } finally {
    await transport.close();
  }
  scene.say('a node in quarantine gets nothing, and goes on when it is admitted');
}

/** Something else than before was started: the Machine says what, and there is no certificate any more. */
async function changedBoot(scene: Scene, one: MachineWithTpm): Promise<void> {
  await extendPcr(one.host, 4);
  await refused(scene, one, 'p1', /PCR 4 \(boot loader\) is [0-9a-f]{16}….*TpmBootStateChanged/);
  const why = await attestedIs(scene, 'p1', 'False', 'TpmBootStateChanged');
  assert.match(why.message, /policy guarded wants it: PCR 4 \(boot loader\)/);
  assert.doesNotMatch(why.message, /PCR [07]/);
  assert.equal((await scene.cluster.node('p1')).spec.admission?.state, 'Refused');
  await nodes('release', 'default/p1', scene);
  await attestedIs(scene, 'p1', 'Unknown', 'Gone');
  await reports(scene, one, 'p1');
  await attestedIs(scene, 'p1', 'True', 'ProvedByTpm');
  scene.say(
    'a machine that booted into another state is refused, with the register by name, until it is released',
  );
}

/** Who proved itself waits for somebody. */
async function manual(scene: Scene, two: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  await policy(scene, 'manual', {
    selector: { cluster: 'manual' },
    method: 'tpm',
    admission: 'Manual',
    endorsementKeys: {
      trusted: [two.endorsementKey],
      ofMachines: [{ machine: 'p3', key: two.endorsementKey }],
    },
  });
  await cluster.createMachine('p3', { cluster: 'manual' });
  await refused(scene, two, 'whatever', /waits until somebody admits it/);
  await attestedIs(scene, 'p3', 'Unknown', 'Pending');
  assert.match(await scene.command('nodes'), /^default +p3 +tpm +Pending /m);
  // A proof that fails and then holds again is not somebody's word either.
  await registersAre(scene, 'manual', { pcrs: [4], values: [{ pcr: 4, anyOf: ['ff'.repeat(32)] }] });
  await refused(scene, two, 'whatever', /TpmBootStateChanged/);
  await attestedIs(scene, 'p3', 'False', 'TpmBootStateChanged');
  await registersAre(scene, 'manual', null);
  await refused(scene, two, 'whatever', /waits until somebody admits it/);
  await attestedIs(scene, 'p3', 'Unknown', 'Pending');
  await nodes('admit', 'default/p3', scene);
  await reports(scene, two, 'whatever', false);
  await attestedIs(scene, 'p3', 'True', 'ProvedByTpm');
  say('with manual admission a proved machine waits for nodes admit, whatever its proofs were meanwhile');
}

/** Changes what a policy wants of the registers; null: nothing. */
async function registersAre(
  { cluster }: Scene,
  name: string,
  registers: NodeIdentityPolicy['spec']['registers'] | null,
): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await cluster.client.request('PATCH', `${POLICIES}/${name}`, {
    body: { spec: { registers } },
    contentType,
  });
}

/** Nobody is let in by a policy that nobody can keep, or that does not trust the TPM. */
async function invalid(scene: Scene, two: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  await nodes('release', 'default/p3', scene);
  await cluster.client.request('DELETE', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/p3');
  await policy(scene, 'nobody', {
    selector: { cluster: 'nobody' },
    method: 'tpm',
    endorsementKeys: { trusted: [] },
  });
  await cluster.createMachine('p4', { cluster: 'nobody', endorsementKey: two.endorsementKey });
  await refused(scene, two, 'p4', /EndorsementKeyUntrusted/);
  await attestedIs(scene, 'p4', 'False', 'EndorsementKeyUntrusted');
  await cluster.client.request('PATCH', `${POLICIES}/nobody`, {
    body: { spec: { registers: { pcrs: [4], values: [] } } },
    contentType: 'application/merge-patch+json',
  });
  await eventually('its status says so', async () => {
    const { status } = await cluster.client.request<NodeIdentityPolicy>('GET', `${POLICIES}/nobody`);
    return status?.valid === false && /PCR 4/.test(status.message ?? '');
  });
  await refused(scene, two, 'p4', /IdentityPolicyInvalid/);
  say('a policy that trusts nobody, or is not valid, lets nobody in and says so');
}

/** A token is enough only where a policy says so, and the Machine says that it was one. */
async function fallback(scene: Scene): Promise<void> {
  const { cluster, machine, say } = scene;
  await policy(scene, 'lenient', { selector: { cluster: 'lenient' }, method: 'tpm', fallback: 'token' });
  await policy(scene, 'strict', { selector: { cluster: 'strict' }, method: 'tpm' });
  for (const name of ['lenient', 'strict']) await cluster.createMachine(name, { cluster: name, token: true });
  await machine({ hostname: 'lenient' }).enrol(await cluster.machineToken('lenient'));
  const said = await attestedIs(scene, 'lenient', 'True', 'ProvedByToken');
  assert.match(said.message, /and no TPM. Policies: lenient/);
  await assert.rejects(machine({ hostname: 'strict' }).enrol(await cluster.machineToken('strict')), /401/);
  say('a token is a fallback only where a policy says so');
}

/** Two Machines that a TPM comes to at the same moment, at two replicas: it is one's. */
async function atOnce({ cluster, say }: Scene, { endorsementKey }: MachineWithTpm): Promise<void> {
  const key = endorsementKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const holders = new KeyHolders(cluster.client, 'slipway-system', () => true);
  const took = ['a', 'b', 'c', 'd'].map((uid) => holders.take(key, { namespace: 'default', name: uid, uid }));
  assert.equal((await Promise.all(took)).filter(Boolean).length, 1);
  const again = new KeyHolders(cluster.client, 'slipway-system', () => false);
  assert.equal(await again.take(key, { namespace: 'default', name: 'e', uid: 'e' }), true);
  say('a TPM that nobody named is one Machine of the whole installation, whoever asks at once');
}

/** Creates a policy and waits until the controller has it. */
