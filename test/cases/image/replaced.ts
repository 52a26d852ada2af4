import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrapEvents, type SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import type { Deployed } from './deployed.ts';

const EVENTS = 30;

/**
 * Deletes the pod that leads while a machine reports: the machine notices nothing, another pod leads, and the deleted one ends
 * by itself: one that its kubelet had to kill at the end of its grace would not have said that it ends.
 */
export async function replaceLeader(deployed: Deployed, machine: SimulatedMachine): Promise<void> {
  const leader = await deployed.leader();
  const ended = follow(deployed, leader);
  const events = bootstrapEvents(EVENTS);
  for (const event of events.splice(0, 5)) machine.tell(event);
  await machine.report();

  await deployed.kubectl('delete', 'pod', leader, '--wait=false');
  const [log] = await Promise.all([ended, tellAll(deployed, machine, events)]);
  const said = JSON.stringify(log);
  assert.deepEqual(
    log.slice(-3).map(({ message }) => message),
    ['drains', 'no longer leads', 'ends'],
    said,
  );
  assert.ok(!log.some(({ level }) => level === 'error'), said);
  await deployed.machine.waitFor(
    async () => {
      const next = await deployed.leader();
      return next !== '' && next !== leader;
    },
    { timeoutMs: 600_000, what: 'another pod to lead' },
  );
  const stored = await deployed.kubectl(
    ...['get', 'nodebootstrap', machine.identity.instance, '--namespace=default'],
    '--output=jsonpath={.status.seq} {.status.events}',
  );
  assert.equal(stored, `${EVENTS} ${EVENTS}`, 'every event is stored once');
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

interface LogLine {
  level: string;
  message: string;
}

/** What a pod logs until its container ends. */
async function follow({ machine }: Deployed, pod: string): Promise<LogLine[]> {
  const { stdout } = await machine.exec([
    ...['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', '--namespace=slipway-system'],
    ...['logs', '--follow', pod],
  ]);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line));
}
