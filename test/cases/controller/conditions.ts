import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONDITION } from '../../../src/controller/machines/machine.ts';
import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import { MACHINES } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, FAILURE } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** What a Machine says, when, and that nobody else's conditions are touched. */
export async function conditions(scene: Scene, controller: ControllerProcess): Promise<void> {
  const { cluster, say } = scene;
  for (const name of ['good', 'bad', 'lost']) await cluster.createMachine(name, { token: true });
  await setForeign(scene, 'good');

  const good = scene.machine(controller);
  await good.enrol(await cluster.machineToken('good'));
  for (const body of bootstrapEvents(40)) good.tell(body);
  const all = good.spool;
  good.spool = all.slice(0, 1);
  assert.equal(await good.report(), 0, 'what can wait is not written at once');
  good.spool = all.slice(0, 2);
  assert.equal(await good.report(), 2);
  // Sooner than anything that waits is written.
  assert.equal((await cluster.conditionIs('good', 'Unknown')).reason, 'Running');
  good.spool = all.slice(2, 14);
  assert.equal(await good.report(), 2, 'what follows waits');
  good.spool = all.slice(2);
  assert.equal(await good.report(), 40);
  const succeeded = await cluster.conditionIs('good', 'True');
  assert.equal(succeeded.reason, 'Bootstrapped');
  const types = (await cluster.machine('good')).status?.conditions?.map(({ type }) => type);
  assert.deepEqual(types?.sort(), ['Ready', 'example.org/Checked', CONDITION].sort());
  say('success; conditions of others stay');

  const bad = scene.machine(controller);
  await bad.enrol(await cluster.machineToken('bad'));
  for (const body of bootstrapEvents(40, true)) bad.tell(body);
  await bad.report();
  const failed = await cluster.conditionIs('bad', 'False');
  assert.equal(failed.reason, FAILURE.code);
  assert.equal(failed.message, `${FAILURE.cause} ${FAILURE.remedy}`);
  await eventually('an Event', async () => {
    const told = await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']);
    return /"reason": "ApiServerUnreachable"/.test(told);
  });
  say('failure: reason is the code, message is cause and remedy; an Event tells it');

  await lostAndFound(scene, controller);
  await fight(scene);
  for (const machine of [good, bad]) machine.hangUp();
}

/** A lost agent is a failure at once; another run takes it back. */
async function lostAndFound(scene: Scene, controller: ControllerProcess): Promise<void> {
  const { cluster, say } = scene;
  const machine = scene.machine(controller);
  await machine.enrol(await cluster.machineToken('lost'));
  const [fact, started] = bootstrapEvents(40);
  if (fact?.type !== 'fact' || started?.type !== 'sequence.started')
    throw new Error('no bootstrap begins so');
  machine.tell(fact);
  machine.tell(started);
  machine.tell({
    ...{ type: 'agent.lost', sequence: started.sequence, how: 'killed', pid: 42 },
    failure: {
      code: 'AgentKilled',
      cause: 'The agent was killed.',
      remedy: 'Look at the memory of the machine.',
    },
  });
  await machine.report();
  assert.equal((await cluster.conditionIs('lost', 'False')).reason, 'AgentKilled');
  machine.tell({ ...started, resumed: true });
  await machine.report();
  assert.equal((await cluster.conditionIs('lost', 'Unknown')).reason, 'Running');
  machine.tell({
    type: 'sequence.ended',
    sequence: started.sequence,
    mode: 'bootstrap',
    result: 'succeeded',
    exitStatus: 0,
    ms: 9,
  });
  await machine.report();
  await cluster.conditionIs('lost', 'True');
  say('a lost agent: False; goes on: Unknown; succeeds: True');
  machine.hangUp();
}

/** Somebody else writes our condition: it is put right, without a storm. */
async function fight({ cluster, say }: Scene): Promise<void> {
  const before = (await cluster.machine('good')).metadata.resourceVersion;
  await cluster.client.request('PATCH', `${MACHINES}/good/status`, {
    body: {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { name: 'good', namespace: 'default' },
      status: { conditions: [condition(CONDITION, 'False', 'Meddled')] },
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'meddler', force: true },
  });
  const after = await cluster.conditionIs('good', 'True');
  assert.equal(after.reason, 'Bootstrapped');
  assert.notEqual((await cluster.machine('good')).metadata.resourceVersion, before);
  say('a condition that somebody else overwrote is put right');
}

function condition(type: string, status: string, reason: string) {
  return { type, status, reason, message: 'of somebody else', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

async function setForeign({ cluster }: Scene, name: string): Promise<void> {
  await cluster.client.request('PATCH', `${MACHINES}/${name}/status`, {
    body: {
      status: {
        conditions: [condition('Ready', 'False', 'NotReady'), condition('example.org/Checked', 'True', 'Ok')],
      },
    },
    contentType: 'application/merge-patch+json',
  });
  await sleep(200);
}
