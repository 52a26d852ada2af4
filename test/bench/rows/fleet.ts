import { setTimeout as sleep } from 'node:timers/promises';
import { KubernetesStore } from '../../../src/controller/store/kubernetes-store.ts';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import { fleetName, percentile, runFleet } from '../fleet/fleet.ts';
import { type BenchScene, counter, cpuOf, memoryOf, memoryText, openScene } from '../fleet/scene.ts';
import type { Row } from '../row.ts';

const EVENTS = 40;
/** Machines that begin each second; fewer where the machine is not free for it. */
const PER_SECOND = Number(process.env.SLIPWAY_FLEET_PER_SECOND ?? 15);
/** Where the curve is read. */
const MARKS = [100, 1_000, 10_000];

interface Mark {
  readonly count: number;
  readonly cpuMs: number;
  readonly rss: number;
}

/** A whole fleet boots: 10,000 machines (--runs N for another number), 40 events each, against a real API server. */
export const fleet: Row = async ({ runs: machines = 10_000, say }) => {
  const scene = await openScene(say);
  try {
    const { pid } = scene.controller;
    const empty = memoryOf(pid);
    await createMachines(scene, machines, say);
    const before = { writes: await counter(scene, 'slipway_api_writes_total'), cpuMs: cpuOf(pid) };
    const marks: Mark[] = [];
    const began = performance.now();
    const result = await runFleet({
      ...{ machines, perSecond: PER_SECOND, seconds: 30, batches: 10, events: EVENTS },
      ...{ port: scene.controller.port, ca: scene.ca, token: scene.token, client: scene.cluster.client },
      ended: (count) => {
        if (MARKS.includes(count) || count === machines) {
          marks.push({ count, cpuMs: cpuOf(pid) - before.cpuMs, rss: memoryOf(pid).now });
        }
        if (count % 500 === 0)
          void memoryText(scene).then((text) => say(`${count} machines have ended; the controller: ${text}`));
      },
    });
    const seconds = (performance.now() - began) / 1000;
    const writes = ((await counter(scene, 'slipway_api_writes_total')) - before.writes) / machines;
    // What closed connections held is given back within two looks; the most is told beside it.
    await sleep(12_000);
    const memory = memoryOf(pid);
    const where = await memoryText(scene);
    const listing = await timeNodes(scene, machines);
    const wrong = await countWrong(scene, machines);
    const curve = curveOf(marks, result.admissions);
    const least = { goal: 0, direction: 'most', unit: 'count' } as const;
    return {
      about: `${machines} machines of ${EVENTS} events boot within ${Math.round(seconds)} s: one controller, a real API server, real TLS`,
      runs: 1,
      standings: [],
      verdicts: [
        { what: 'machines whose events are not all stored once and in order', value: wrong, ...least },
        { what: 'writes to the API server per machine', value: writes, ...least, goal: 6 },
        {
          what: 'memory of the controller per machine',
          value: (memory.now - empty.now) / machines,
          goal: 30 * 1024,
          direction: 'most',
          unit: 'bytes',
        },
        {
          what: 'CPU per machine, the last part of the curve / its second',
          value: curve.growth,
          goal: 1.25,
          direction: 'most',
          unit: 'times',
        },
        {
          what: 'verdict sent to condition seen, p50',
          value: percentile(result.verdicts, 0.5),
          goal: 1000,
          direction: 'most',
          unit: 'ms',
        },
        {
          what: 'verdict sent to condition seen, p99',
          value: percentile(result.verdicts, 0.99),
          goal: 1000,
          direction: 'most',
          unit: 'ms',
        },
      ],
      notes: [
        ...curve.lines,
        `controller: ${Math.round(empty.now / 1e6)} MB empty, ${Math.round(memory.now / 1e6)} MB at the end, ${Math.round(memory.peak / 1e6)} MB at most; at the end ${where}`,
        `\`slipway-controller nodes\`: ${(listing / 1000).toFixed(1)} s`,
        ...[...result.troubles].map(([why, count]) => `tried again ${count} times: ${why}`),
      ],
    };
  } finally {
    await scene.close();
  }
};

async function createMachines(
  { cluster }: BenchScene,
  machines: number,
  say: (line: string) => void,
): Promise<void> {
  for (let at = 0; at < machines; at += 50) {
    const some = Array.from({ length: Math.min(50, machines - at) }, (_, i) =>
      cluster.createMachine(fleetName(at + i)),
    );
    await Promise.all(some);
  }
  say(`${machines} Machines are there`);
}

/** @returns milliseconds in which the command lists all machines */
async function timeNodes({ cluster }: BenchScene, machines: number): Promise<number> {
  const began = performance.now();
  const { stdout, stderr } = await controllerCommand(['nodes', `--kubeconfig=${cluster.api.kubeconfig()}`]);
  const ms = performance.now() - began;
  const rows = stdout.split('\n').filter((line) => line.includes(' fleet-')).length;
  if (rows !== machines) throw new Error(`nodes lists ${rows} of ${machines} machines: ${stderr}`);
  return ms;
}

/** Read back from the API server: every machine has every number from 1 on, once, in order. */
async function countWrong({ cluster }: BenchScene, machines: number): Promise<number> {
  const store = new KubernetesStore(cluster.client);
  let right = 0;
  for (let at = 0; at < machines; at += 50) {
    const names = Array.from({ length: Math.min(50, machines - at) }, (_, i) => fleetName(at + i));
    const logs = await Promise.all(names.map((name) => store.events('default', name)));
    right += logs.filter((log) => log.length === EVENTS && log.every(({ seq }, i) => seq === i + 1)).length;
  }
  return machines - right;
}

function curveOf(
  marks: readonly Mark[],
  admissions: readonly number[][],
): { lines: string[]; growth: number } {
  let last: Mark = { count: 0, cpuMs: 0, rss: 0 };
  const costs: number[] = [];
  const lines = marks.map((mark) => {
    const cost = (mark.cpuMs - last.cpuMs) / (mark.count - last.count);
    const times = admissions.slice(last.count, mark.count).flat();
    costs.push(cost);
    last = mark;
    return `up to ${mark.count} machines: admission p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, CPU ${cost.toFixed(1)} ms a machine, ${Math.round(mark.rss / 1e6)} MB`;
  });
  // In the first part the controller still warms up.
  return { lines, growth: (costs.at(-1) ?? Number.NaN) / (costs[1] ?? Number.NaN) };
}
