import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { Informer } from '../../../src/controller/kube/informer.ts';
import { CONDITION, type MachineObject } from '../../../src/controller/machines/machine.ts';
import { MACHINES } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';

interface FleetOptions {
  readonly machines: number;
  /** Machines that begin each second. */
  readonly perSecond: number;
  /** How long a bootstrap lasts, in seconds. */
  readonly seconds: number;
  /** Batches in which its events are sent. */
  readonly batches: number;
  readonly events: number;
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  readonly client: KubeClient;
  /** Called when so many have ended. */
  readonly ended?: (count: number) => void;
}

interface FleetResult {
  /** Milliseconds from sending a batch to its answer, in the order in which machines began. */
  readonly admissions: number[][];
  /** Milliseconds from sending the verdict to the condition seen on a watch of Machines. */
  readonly verdicts: number[];
  /** Requests that had to be made again, by reason. */
  readonly troubles: ReadonlyMap<string, number>;
}

/** One in twenty fails, as in a fleet on a bad day. */
const FAILS_EVERY = 20;
/** Names of Machines. */
export function fleetName(at: number): string {
  return `fleet-${String(at).padStart(5, '0')}`;
}

/** Lets a fleet boot: every machine enrols, tells its events over its own TLS connection, and ends. */
export async function runFleet(options: FleetOptions): Promise<FleetResult> {
  const admissions: number[][] = [];
  const troubles = new Map<string, number>();
  const sentAt = new Map<string, number>();
  const verdicts: number[] = [];
  const informer = new Informer<MachineObject>(options.client, MACHINES, {
    changed: ({ metadata, status }) => {
      const condition = status?.conditions?.find(({ type }) => type === CONDITION);
      const sent = sentAt.get(metadata.name);
      if (sent === undefined || !condition || condition.status === 'Unknown') return;
      sentAt.delete(metadata.name);
      verdicts.push(performance.now() - sent);
    },
    gone: () => {},
  });
  informer.start();
  let ended = 0;
  const one = async (at: number): Promise<void> => {
    const times: number[] = [];
    admissions[at] = times;
    await bootOne(at, options, times, sentAt, (why) => troubles.set(why, (troubles.get(why) ?? 0) + 1));
    ended += 1;
    options.ended?.(ended);
  };
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let at = 0; at < options.machines; at += 1) {
    const due = began + (at / options.perSecond) * 1000;
    if (due > performance.now()) await sleep(due - performance.now());
    running.push(one(at));
  }
  await Promise.all(running);
  for (const end = Date.now() + 60_000; sentAt.size > 0 && Date.now() < end; ) await sleep(50);
  await informer.stop();
  if (sentAt.size > 0) throw new Error(`${sentAt.size} verdicts came to no condition within a minute`);
  return { admissions, verdicts, troubles };
}

async function bootOne(
  at: number,
  { port, ca, token, events, batches, seconds }: FleetOptions,
  times: number[],
  sentAt: Map<string, number>,
  trouble: (why: string) => void,
): Promise<void> {
  const hostname = fleetName(at);
  // Addresses of the loopback, so that they are not all one client.
  const from = `127.1.${Math.floor(at / 250) % 250}.${(at % 250) + 1}`;
  const machine = new SimulatedMachine({ port, ca, hostname, from });
  await again(trouble, () => machine.enrol(token));
  const bodies = bootstrapEvents(events, at % FAILS_EVERY === FAILS_EVERY - 1);
  const size = Math.ceil(bodies.length / batches);
  const pauseMs = (seconds * 1000) / batches;
  for (let from = 0; from < bodies.length; from += size) {
    await sleep(pauseMs * (0.5 + Math.random()));
    for (const body of bodies.slice(from, from + size)) machine.tell(body);
    const last = from + size >= bodies.length;
    if (last) sentAt.set(hostname, performance.now());
    const sent = performance.now();
    await again(trouble, () => machine.report());
    times.push(performance.now() - sent);
  }
  // What is left was seen and not stored; a reporter would send it again later.
  while (machine.spool.length > 0) {
    await sleep(2_000);
    await again(trouble, () => machine.report());
  }
  machine.hangUp();
}

async function again<T>(trouble: (why: string) => void, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      trouble((error as Error).message.slice(0, 60));
      if (tries >= 20) throw error;
      await sleep(Math.random() * Math.min(30_000, 250 * 2 ** tries));
    }
  }
}

/** The value below which `share` of them lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
