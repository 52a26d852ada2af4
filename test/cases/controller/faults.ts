import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';
import { poolToken } from './ties.ts';

const KILLS = Number(process.env.SLIPWAY_CONTROLLER_KILLS ?? 100);
/** Fewer than the embedded store keeps of a machine: kills take long on a busy host, and the machine tells all the while. */
const EVENTS_A_KILL = Math.ceil(3_600 / KILLS);
/** How long the API server is away; minutes by hand. */
const AWAY_MS = 1000 * Number(process.env.SLIPWAY_API_AWAY_SECONDS ?? 3);

/** Whatever dies in between, each event is stored once and in order. */
export async function faults(scene: Scene): Promise<void> {
  await killedReplicas(scene);
  await apiServerAway(scene);
  await killedStandalone(scene);
}

/** Two replicas, of which one or the other is killed again and again while a machine reports event by event. */
async function killedReplicas(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  const replicas = [await scene.start(), await scene.start()];
  const token = await poolToken(scene);
  const machine = scene.machine(replicas[0] as ControllerProcess, { hostname: 'survivor' });
  await cluster.createMachine('survivor');
  for (const replica of replicas) await cluster.knownTo(replica);
  await machine.enrolSoon(token);
  const bodies = bootstrapEvents(60);
  let done = false;
  const reporting = (async () => {
    for (let at = 0; !done || machine.spool.length > 0; at += 1) {
      const body = done ? undefined : bodies[at % (bodies.length - 1)];
      if (body) machine.tell(body);
      // A verdict in every batch, so that each one is written.
      if (body) machine.tell({ type: 'node.reset' });
      await reportSomewhere(scene, machine, replicas);
    }
  })();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(Math.random() * 300);
    const at = kill % 2;
    await replicas[at]?.end('SIGKILL');
    replicas[at] = await scene.start();
  }
  done = true;
  await reporting;
  const { status } = await cluster.node('survivor');
  const seqs = (status?.eventLog ?? []).map(({ seq }) => seq);
  const trimmed = status?.eventsTrimmed ?? 0;
  assert.equal(status?.events, machine.seq, 'stored as often as told');
  assert.equal(status?.lost, 0);
  assert.equal(seqs.length + trimmed, machine.seq);
  assert.ok(
    seqs.every((seq, i) => i === 0 || seq > (seqs[i - 1] ?? 0)),
    'in order',
  );
  assert.equal(seqs.at(-1), machine.seq);
  say(`${machine.seq} events through ${KILLS} kills of replicas: each stored once and in order`);
  await cluster.conditionIs('survivor', 'Unknown');
  await eventually('a leader', () => replicas.some(({ leads }) => leads));
  say('one of the replicas leads');
  machine.hangUp();
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
}

async function reportSomewhere(
  scene: Scene,
  machine: SimulatedMachine,
  replicas: readonly ControllerProcess[],
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const replica = replicas[tries % replicas.length];
    if (replica) machine.connectTo(replica.port);
    try {
      await machine.report();
      return;
    } catch (error) {
      assert.ok(tries < 400, `nobody takes the events: ${String(error)}\n${scene.ca.length}`);
      await sleep(50);
    }
  }
}

/** The embedded store: killed again and again while a machine reports; what was acknowledged is there afterwards. */
async function killedStandalone({ say }: Pick<Scene, 'say'>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'slipway-standalone-'));
  const words = ['--standalone', `--data=${data}`];
  let controller = await ControllerProcess.start(words);
  const read = async (...command: string[]): Promise<string> =>
    (await controllerCommand([...command, `--data=${data}`])).stdout;
  const machine = new SimulatedMachine({ port: controller.port, ca: await read('ca') });
  await machine.enrol((await read('token', '--machine=m')).trim());
  let acknowledged = 0;
  let kills = 0;
  const reporting = (async () => {
    while (kills < KILLS || machine.spool.length > 0) {
      if (machine.seq < EVENTS_A_KILL * (kills + 1) && kills < KILLS)
        for (const name of ['a', 'b', 'c']) machine.tell({ type: 'fact', name, value: 'x' });
      machine.connectTo(controller.port);
      acknowledged = await machine.report().catch(() => acknowledged);
      await sleep(20);
    }
  })();
  for (; kills < KILLS; kills += 1) {
    await sleep(Math.random() * 200);
    await controller.end('SIGKILL');
    controller = await ControllerProcess.start(words);
  }
  await reporting;
  const { eventLog, lost } = JSON.parse(await read('node', 'm', '--output=json')) as {
    eventLog: { seq: number }[];
    lost: number;
  };
  assert.equal(acknowledged, machine.seq);
  assert.deepEqual(
    eventLog.map(({ seq }) => seq),
    Array.from({ length: machine.seq }, (_, i) => i + 1),
  );
  assert.equal(lost, 0);
  say(`standalone: ${machine.seq} events through ${KILLS} kills`);
  machine.hangUp();
  assert.equal(await controller.end('SIGTERM'), 0);
  rmSync(data, { recursive: true });
}

/** The API server goes away: batches are refused with a time to come back, nothing is acknowledged, nothing is lost. */
async function apiServerAway(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  const controller = await scene.start();
  await cluster.createMachine('patient');
  await cluster.knownTo(controller);
  const machine = scene.machine(controller, { hostname: 'patient' });
  await machine.enrolSoon(await poolToken(scene));
  const [first, ...rest] = bootstrapEvents(40);
  if (first) machine.tell(first);
  await machine.report();
  await cluster.api.stopApi();
  for (const body of rest) machine.tell(body);
  const answer = await machine.post('/v1/events', machine.batch(machine.spool));
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers['retry-after']) >= 1);
  await sleep(AWAY_MS);
  await cluster.api.startApi();
  await eventually('everything to be taken after the API server came back', async () => {
    await machine.report().catch((error: unknown) => assert.match(String(error), /503/));
    return machine.spool.length === 0;
  });
  await cluster.conditionIs('patient', 'True');
  assert.deepEqual(
    (await cluster.node('patient')).status?.eventLog.map(({ seq }) => seq),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  say(`the API server was away for ${AWAY_MS / 1000} s: 503 with Retry-After, then everything once`);
  machine.hangUp();
  assert.equal(await controller.end('SIGTERM'), 0);
}
