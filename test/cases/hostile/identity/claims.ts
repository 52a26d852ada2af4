import { strict as assert } from 'node:assert';
import type { ListOf } from '../../../../src/controller/kube/objects.ts';
import { collectionPath, type NodeBootstrap } from '../../../../src/controller/store/node-bootstrap.ts';
import { MACHINES } from '../../../support/controller/management-cluster.ts';
import { bootstrapEvents, type SimulatedMachine } from '../../../support/controller/simulated-machine.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Scene } from '../scene.ts';

/** Whoever has a pool's token says to be another machine. */
export async function claims(scene: Scene): Promise<void> {
  const pool = await scene.poolToken();
  await labelled(scene, pool);
  await squatter(scene, pool);
  await proved(scene, pool);
  await twin(scene, pool);
  await atOnce(scene, pool);
}

/** A Machine that asks for its own token takes nothing else, at enrolment. */
async function labelled({ cluster, controller, machine, say }: Scene, pool: string): Promise<void> {
  await cluster.createMachine('demands', { token: true, providerID: 'demo:///demands' });
  const token = await cluster.machineToken('demands');
  await cluster.knownTo(controller);
  await assert.rejects(machine({ hostname: 'demands' }).enrol(pool), /401/);
  await assert.rejects(machine({ hostname: 'x', providerID: 'demo:///demands' }).enrol(pool), /401/);
  assert.deepEqual(await holders(cluster, 'demands'), []);
  await machine({ hostname: 'demands' }).enrol(token);
  say('a Machine with a token of its own is claimed by nobody, and its machine enrols');
}

/** Who waits for a Machine before it exists gets it neither beside the genuine one nor in its place. */
async function squatter({ cluster, machine, say }: Scene, pool: string): Promise<void> {
  const waits = machine({ hostname: 'awaited' });
  await waits.enrol(pool);
  await cluster.createMachine('awaited', { token: true });
  const genuine = machine({ hostname: 'awaited' });
  await genuine.enrol(await cluster.machineToken('awaited'));
  await tell(genuine);
  await cluster.conditionIs('awaited', 'True');
  await tell(waits, true);
  assert.deepEqual(await holders(cluster, 'awaited'), ['token']);
  assert.equal((await cluster.condition('awaited'))?.status, 'True');
  say('a squatter that came before the Machine does not become it');
}

/** A proof takes the place from a claim. */
async function proved({ cluster, machine, say }: Scene, pool: string): Promise<void> {
  await cluster.createMachine('claimed');
  const thief = machine({ hostname: 'claimed' });
  await eventually('the Machine is known', async () => {
    await thief.enrol(pool);
    return (await holders(cluster, 'claimed')).length === 1;
  });
  await cluster.client.request('PATCH', `${MACHINES}/claimed`, {
    body: { metadata: { labels: { 'slipway.dev/machine-token': '' } } },
    contentType: 'application/merge-patch+json',
  });
  const genuine = machine({ hostname: 'claimed' });
  await genuine.enrol(await cluster.machineToken('claimed'));
  await tell(genuine);
  await cluster.conditionIs('claimed', 'True');
  await assert.rejects(tell(thief, true), /401|ECONNRESET|socket hang up/);
  await assert.rejects(tell(thief, true), /401/);
  assert.deepEqual(await holders(cluster, 'claimed'), ['token']);
  assert.equal((await cluster.condition('claimed'))?.status, 'True');
  await eventually('an Event', async () => {
    const told = await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']);
    return /"reason": "ClaimReplaced"/.test(told);
  });
  say('a proof takes the place from a claim, and an Event tells it');
}

/** The same provider ID in another namespace leaves the genuine machine its own. */
async function twin({ cluster, machine, say }: Scene, pool: string): Promise<void> {
  await cluster.api.kubectl(['create', 'namespace', 'elsewhere']);
  await cluster.createMachine('of-default', { providerID: 'demo:///twin' });
  await cluster.createMachine('of-elsewhere', { providerID: 'demo:///twin', namespace: 'elsewhere' });
  const genuine = machine({ hostname: 'no-machine-is-called-so', providerID: 'demo:///twin' });
  await genuine.enrol(pool);
  await eventually('a tie', async () => (await holders(cluster, 'of-default'))[0] === 'providerID');
  say('a twin in another namespace takes no tie away');
}

/** Many at the same moment, at two replicas, before and after their Machine is known: one is it. */
async function atOnce(scene: Scene, pool: string): Promise<void> {
  const { cluster, machine, say } = scene;
  const other = await scene.start();
  const ports = [scene.controller.port, other.port];
  const rivals = Array.from({ length: 12 }, (_, at) =>
    machine({ hostname: 'wanted', port: ports[at % 2] as number, from: `127.0.7.${at + 1}` }),
  );
  const enrol = (some: readonly SimulatedMachine[]) => Promise.allSettled(some.map((one) => one.enrol(pool)));
  await enrol(rivals.slice(0, 4));
  await Promise.all([cluster.createMachine('wanted'), enrol(rivals.slice(4, 8))]);
  await enrol(rivals.slice(8));
  await eventually('a holder', async () => (await holders(cluster, 'wanted')).length > 0);
  await Promise.allSettled(rivals.map((one) => tell(one)));
  assert.equal((await holders(cluster, 'wanted')).length, 1);
  await other.end('SIGTERM');
  say('twelve that come at once to two replicas: one holds the Machine');
}

async function tell(machine: SimulatedMachine, failed = false): Promise<void> {
  for (const body of bootstrapEvents(20, failed)) machine.tell(body);
  await machine.report();
}

/** By what the nodes of a Machine are tied to it. */
async function holders({ client }: Scene['cluster'], name: string): Promise<string[]> {
  const { items } = await client.request<ListOf<NodeBootstrap>>('GET', collectionPath('default'));
  return items.flatMap(({ spec }) => (spec.machine?.name === name ? [spec.machine.by] : []));
}
