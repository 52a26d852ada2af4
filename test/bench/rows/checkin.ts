import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKIN_PATH } from '../../../src/protocol/check-in/check-in.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { fleetName, percentile } from '../fleet/fleet.ts';
import { type BenchScene, counter, cpuOf, memoryOf, openScene } from '../fleet/scene.ts';
import type { Row } from '../row.ts';

/** As many check-ins a second as of 15,000 machines every five minutes: what the processors of this process have room for, too. */
const PER_SECOND = 50;
/** And of 50,000, on paper. */
const PAPER_PER_SECOND = 50_000 / 300;
const ROUNDS = 2;
/** Bootstraps at a time on the way to what is measured. */
const AT_ONCE = 16;
const LOOK_MS = 2_000;
/** Share of a core that a controller takes that has nothing to do. */
const IDLE = 0.05;

/**
 * 2,000 machines (--runs N for another number) whose bootstrap is over check in, 50 a second: a new connection, mutual TLS and one
 * request each. One controller, a real API server.
 */
export const checkin: Row = async ({ runs: machines = 2_000, say }) => {
  const scene = await openScene(say);
  try {
    const fleet = await bootFleet(scene, machines);
    say(`${machines} machines have told everything`);
    const { pid } = scene.controller;
    await settled(pid);
    const [cpu, writes, memory] = [
      cpuOf(pid),
      await counter(scene, 'slipway_api_writes_total'),
      memoryOf(pid).now,
    ];
    const began = performance.now();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(...(await checkInAll(fleet)));
    const seconds = (performance.now() - began) / 1000;
    const cpuMs = (cpuOf(pid) - cpu) / times.length;
    const written = (await counter(scene, 'slipway_api_writes_total')) - writes;
    const most = { direction: 'most', unit: 'ms' } as const;
    return {
      about: `${machines} machines check in, ${PER_SECOND} a second: one controller, a real API server, a new connection each`,
      runs: ROUNDS,
      standings: [],
      verdicts: [
        { ...most, what: 'connection and request, p50', value: percentile(times, 0.5), goal: 500 },
        { ...most, what: 'connection and request, p99', value: percentile(times, 0.99), goal: 2_000 },
        { ...most, what: 'CPU of the controller per check-in', value: cpuMs, goal: 4 },
        {
          ...{
            what: 'writes to the API server per 1,000 of them',
            value: (written * 1000) / times.length,
            goal: 20,
          },
          ...{ direction: 'most', unit: 'count' },
        },
      ],
      notes: [
        `${(times.length / seconds).toFixed(0)} a second came through, ${cpuMs.toFixed(2)} ms of CPU each; the machines are in one process on the same processors`,
        `the writes are renewals of the Lease: ${written} in ${seconds.toFixed(0)} s`,
        `50,000 machines every five minutes (${Math.round(PAPER_PER_SECOND)} a second) would take ${Math.round((cpuMs * PAPER_PER_SECOND) / 10)} % of a core`,
        `controller: ${Math.round(memory / 1e6)} MB before, ${Math.round(memoryOf(pid).peak / 1e6)} MB at most`,
      ],
    };
  } finally {
    await scene.close();
  }
};

/** All of them have enrolled, told a bootstrap, and hung up. */
async function bootFleet(scene: BenchScene, machines: number): Promise<SimulatedMachine[]> {
  const { controller, ca, token, cluster } = scene;
  const fleet: SimulatedMachine[] = [];
  const bootNext = async (): Promise<void> => {
    while (fleet.length < machines) {
      const at = fleet.length;
      const hostname = fleetName(at);
      // Addresses of the loopback, so that they are not all one client.
      const from = `127.1.${Math.floor(at / 250) % 250}.${(at % 250) + 1}`;
      const machine = new SimulatedMachine({ port: controller.port, ca, hostname, from });
      fleet.push(machine);
      await cluster.createMachine(hostname);
      await machine.enrolSoon(token);
      for (const body of bootstrapEvents(20)) machine.tell(body);
      while (machine.spool.length > 0) await machine.report();
      machine.hangUp();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, bootNext));
  return fleet;
}

/** Each once, as the fleet's timers would have it. @returns milliseconds of each, connection included */
async function checkInAll(fleet: readonly SimulatedMachine[]): Promise<number[]> {
  const began = performance.now();
  const times: Promise<number>[] = [];
  for (const [at, machine] of fleet.entries()) {
    const waitMs = began + (at / PER_SECOND) * 1000 - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    times.push(checkIn(machine));
  }
  return await Promise.all(times);
}

async function checkIn(machine: SimulatedMachine): Promise<number> {
  const began = performance.now();
  const { seq, identity } = machine;
  const { status, body } = await machine.post(CHECKIN_PATH, { version: 1, machine: identity, told: { seq } });
  const ms = performance.now() - began;
  machine.hangUp();
  if (status !== 200 || JSON.parse(body).wants !== 'nothing') throw new Error(`check-in: ${status} ${body}`);
  return ms;
}

/** Waits until it does next to nothing: conditions are written behind the events. */
async function settled(pid: number): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const before = cpuOf(pid);
    await sleep(LOOK_MS);
    quiet = (cpuOf(pid) - before) / LOOK_MS < IDLE ? quiet + 1 : 0;
  }
}
