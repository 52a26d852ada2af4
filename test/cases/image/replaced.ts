import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrapEvents, type SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import type { Deployed } from './deployed.ts';

const EVENTS = 30;
const GRACE_S = 30;

/**
 * Deletes the pod that leads while a machine reports: the machine notices nothing, another pod leads, and the deleted one ends
 * by itself.
 *
 * @returns seconds until its container was gone
 */
export async function replaceLeader(deployed: Deployed, machine: SimulatedMachine): Promise<number> {
  const leader = await deployed.leader();
  const ended = follow(deployed, leader);
  const events = bootstrapEvents(EVENTS);
  for (const event of events.splice(0, 5)) machine.tell(event);
  await machine.report();

  const began = performance.now();
  // The kubelet of 1.20 may take half a minute more to tell that a container has ended.
  await deployed.kubectl('delete', 'pod', leader, '--wait=false');
  const [log] = await Promise.all([ended, tellAll(deployed, machine, events)]);
  const seconds = Math.round((log.endedAt - began) / 100) / 10;
  const said = JSON.stringify(log.lines);
  assert.deepEqual(
    log.lines.slice(-3).map(({ message }) => message),
    ['drains', 'no longer leads', 'ends'],
    said,
  );
  assert.ok(!log.lines.some(({ level }) => level === 'error'), said);
  assert.ok(seconds < GRACE_S, `it ended after ${seconds} s: ${said}`);
  await deployed.machine.waitFor(
    async () => {
      const next = await deployed.leader();
      return next !== '' && next !== leader;
    },
    { timeoutMs: 20_000, what: 'another pod to lead' },
  );
  const stored = await deployed.kubectl(
    ...['get', 'nodebootstrap', machine.identity.instance, '--namespace=default'],
    '--output=jsonpath={.status.seq} {.status.events}',
  );
  assert.equal(stored, `${EVENTS} ${EVENTS}`, 'every event is stored once');
  return seconds;
}

/** One event after the other, each over a connection of its own, to the replicas by turns: none of them may be refused. */
async function tellAll(
  deployed: Deployed,
  machine: SimulatedMachine,
  events: ReturnType<typeof bootstrapEvents>,
): Promise<void> {
  for (const event of events) {
    machine.tell(event);
    await deployed.forward();
    machine.hangUp();
    await machine.report();
    await sleep(100);
  }
  if (machine.spool.length > 0) await machine.report();
}

interface Log {
  lines: { level: string; message: string }[];
  /** By performance.now(). */
  endedAt: number;
}

/** What a pod logs until its container ends. */
async function follow({ machine }: Deployed, pod: string): Promise<Log> {
  const { stdout } = await machine.exec([
    ...['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', '--namespace=slipway-system'],
    ...['logs', '--follow', pod],
  ]);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return { lines: lines.map((line) => JSON.parse(line)), endedAt: performance.now() };
}
