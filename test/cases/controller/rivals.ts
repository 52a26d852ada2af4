import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { Informer } from '../../../src/controller/kube/informer.ts';
import type { MachineObject } from '../../../src/controller/machines/machine.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { MACHINES } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, type SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';
import { poolToken } from './ties.ts';

/** How long two controllers of the same machines are let fight; minutes by hand. */
const FIGHT_MS = 1000 * Number(process.env.SLIPWAY_FIGHT_SECONDS ?? 20);

/** Two that both believe to lead: whatever they do, each event is stored once, and conditions are true and at rest. */
export async function rivals(scene: Scene): Promise<void> {
  await stoppedLeader(scene);
  await twoInstallations(scene);
}

/** A leader that stands still (its node hangs) until another one leads, and then goes on as if nothing had happened. */
async function stoppedLeader(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  const replicas = [await scene.start(), await scene.start()];
  const machine = await enrolled(scene, replicas[0] as ControllerProcess, 'between-leaders');
  const leader = await theLeader(replicas);
  const other = replicas.find((replica) => replica !== leader) as ControllerProcess;
  process.kill(leader.pid, 'SIGSTOP');
  const [fact, started, ...rest] = bootstrapEvents(40, true);
  machine.connectTo(other.port);
  for (const body of [fact, started]) if (body) machine.tell(body);
  await machine.report();
  await theLeader([other]);
  await cluster.conditionIs('between-leaders', 'Unknown');
  process.kill(leader.pid, 'SIGCONT');
  for (const body of rest) machine.tell(body);
  // The old leader may be the first to hear of it, before it has learnt that it leads no more.
  machine.connectTo(leader.port);
  await reported(machine);
  await cluster.conditionIs('between-leaders', 'False');
  await eventually('the old leader to know that it leads no more', () => !leader.leads);
  await sleep(3_000);
  assert.equal((await cluster.condition('between-leaders'))?.status, 'False');
  assert.deepEqual(
    replicas.map(({ leads }) => leads),
    replicas.map((replica) => replica === other),
    'one leads, the one that took over',
  );
  await expectOnce(scene, 'between-leaders', machine);
  machine.hangUp();
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
  say('a leader that stood still while another one took over: one leads, everything is stored once');
}

/** Two installations in two namespaces, with a Lease each: both lead, and both write about the same Machines. */
async function twoInstallations(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  await cluster.api.kubectl(['create', 'namespace', 'slipway-rival']);
  const ours = await scene.start();
  const rival = await ControllerProcess.start([
    `--kubeconfig=${cluster.api.kubeconfig()}`,
    '--namespace=slipway-rival',
  ]);
  const writes = new Map<string, number>();
  const informer = new Informer<MachineObject>(cluster.client, MACHINES, {
    changed: ({ metadata: { name } }) => void writes.set(name, (writes.get(name) ?? 0) + 1),
    gone: () => {},
  });
  try {
    await theLeader([ours]);
    await theLeader([rival]);
    informer.start();
    const began = performance.now();
    const runs = await enrolled(scene, ours, 'fought-runs');
    const fails = await enrolled(scene, ours, 'fought-fails');
    const [fact, started, ...rest] = bootstrapEvents(40, true);
    for (const machine of [runs, fails]) {
      for (const body of [fact, started]) if (body) machine.tell(body);
      await machine.report();
    }
    for (const end = Date.now() + FIGHT_MS / 2; Date.now() < end; await sleep(1_000)) {
      runs.tell({ type: 'heartbeat', sequence: 'a1b2c3' });
      await runs.report();
    }
    for (const body of rest) fails.tell(body);
    await reported(fails);
    await cluster.conditionIs('fought-fails', 'False');
    await sleep(FIGHT_MS / 2);
    assert.equal((await cluster.condition('fought-fails'))?.status, 'False');
    assert.equal((await cluster.condition('fought-runs'))?.reason, 'Running');
    await expectOnce(scene, 'fought-fails', fails);
    // Made, running (by each of the two, again every two minutes), and the verdict.
    const tookMs = performance.now() - began;
    const most = 4 + Math.ceil(tookMs / 60_000);
    for (const name of ['fought-runs', 'fought-fails']) {
      const count = writes.get(name) ?? 0;
      assert.ok(count <= most, `${name} was written ${count} times in ${tookMs / 1000} s`);
    }
    say(
      `two installations for ${FIGHT_MS / 1000} s: Machines written ${[...writes.values()].reduce((a, b) => Math.max(a, b), 0)} times at most`,
    );
    for (const machine of [runs, fails]) machine.hangUp();
  } finally {
    await informer.stop();
    await rival.end('SIGKILL');
    await ours.end('SIGTERM');
  }
}

async function enrolled(
  scene: Scene,
  controller: ControllerProcess,
  hostname: string,
): Promise<SimulatedMachine> {
  await scene.cluster.createMachine(hostname);
  await scene.cluster.knownTo(controller);
  const machine = scene.machine(controller, { hostname });
  await machine.enrolSoon(await poolToken(scene));
  return machine;
}

function theLeader(replicas: readonly ControllerProcess[]): Promise<ControllerProcess> {
  return eventually('a leader', () => replicas.find(({ leads }) => leads));
}

/** Until everything is stored; another writer may come between. */
async function reported(machine: SimulatedMachine): Promise<void> {
  await eventually('the events to be taken', async () => {
    await machine.report().catch((error: unknown) => assert.match(String(error), /503|429|ECONN/));
    return machine.spool.length === 0;
  });
}

async function expectOnce({ cluster }: Scene, name: string, machine: SimulatedMachine): Promise<void> {
  const { status } = await cluster.node(name);
  assert.deepEqual(
    status?.eventLog.map(({ seq }) => seq),
    Array.from({ length: machine.seq }, (_, i) => i + 1),
  );
}
