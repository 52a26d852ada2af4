import { setTimeout as sleep } from 'node:timers/promises';
import { rootWith } from '../../lab/lab.ts';
import { percentile } from '../fleet/fleet.ts';
import { type BenchScene, cpuOf, memoryOf, openScene } from '../fleet/scene.ts';
import { Crowd } from '../identity/crowd.ts';
import { timeProofs } from '../identity/proofs.ts';
import type { Row } from '../row.ts';

/** Proofs by a real software TPM. */
const PROOFS = 200;
/** Machines that enrol one by one, to see how long a decision takes. */
const SAMPLE = 100;
/** Machines that enrol before the controller is looked at: its code is warm then. */
const WARM = 300;
const POLICIES = '/apis/slipway.dev/v1alpha1/namespaces/default/nodeidentitypolicies';
/** Share of a core that a controller takes that has nothing to do, informers and figures included. */
const IDLE = 0.05;
const LOOK_MS = 2_000;
const ZERO = '0'.repeat(64);

/** What decisions cost with so many nodes. */
interface Mark {
  readonly nodes: number;
  readonly ms: readonly number[];
  readonly cpuMs: number;
}

/**
 * Machines enrol by their TPMs under a policy: 10,000 at once (--runs N for another number), and real swtpm one after the
 * other, against a real API server.
 */
export const identity: Row = async ({ runs: machines = 10_000, say }) => {
  const lower = await rootWith('tpm-tools', ['swtpm', 'swtpm-tools', 'tpm2-tools'], say);
  const scene = await openScene(say);
  try {
    const { pid } = scene.controller;
    await demandProofs(scene);
    const tenth = Math.max(1, Math.round(machines / 10));
    const crowd = new Crowd(scene);
    await crowd.create(WARM + 2 * SAMPLE + tenth + machines);
    say(`${machines + tenth} Machines are there`);
    await crowd.oneByOne(WARM);
    const proofs = await timeProofs(scene, lower, PROOFS);
    const few = await sample(scene, crowd, WARM);
    await settled(pid);
    const small = await rush(scene, crowd, tenth, say);
    await settled(pid);
    const before = memoryOf(pid).now;
    const large = await rush(scene, crowd, machines, say);
    const peak = memoryOf(pid).peak;
    const settledMs = await settled(pid);
    // What closed connections held is given back within two looks.
    await sleep(12_000);
    const memory = memoryOf(pid).now;
    const many = await sample(scene, crowd, WARM + SAMPLE + tenth + machines);
    const most = { direction: 'most', unit: 'ms' } as const;
    return {
      about: `${machines} machines prove themselves by their TPMs at once: one controller, a policy, a real API server, real TLS`,
      runs: 1,
      standings: [],
      verdicts: [
        {
          ...{ what: 'enrolments a second on one core', value: 1000 / large.cpuMs, goal: 100 },
          ...{ direction: 'least', unit: 'count' },
        },
        {
          ...{ what: 'memory of the controller per machine', value: (memory - before) / machines },
          ...{ goal: 30 * 1024, direction: 'most', unit: 'bytes' },
        },
        {
          ...most,
          what: 'a proof by swtpm, certificate included, p50',
          value: percentile(proofs, 0.5),
          goal: 250,
        },
        {
          ...most,
          what: 'a proof by swtpm, certificate included, p99',
          value: percentile(proofs, 0.99),
          goal: 1000,
        },
        {
          ...{
            what: `CPU per enrolment with ${many.nodes} nodes / with ${few.nodes}`,
            value: many.cpuMs / few.cpuMs,
          },
          ...{ goal: 1.25, direction: 'most', unit: 'times' },
        },
        {
          ...{
            what: `CPU per enrolment of ${large.machines} at once / of ${small.machines} at once`,
            value: large.cpuMs / small.cpuMs,
          },
          ...{ goal: 1.25, direction: 'most', unit: 'times' },
        },
        {
          ...most,
          what: `of ${large.machines} at once: from a machine's first knock to its certificate, p99`,
          value: percentile(large.own, 0.99),
          goal: 10_000,
        },
      ],
      notes: [
        ...[small, large].map(rushText),
        `${seconds(settledMs)} later it had written all conditions and had nothing to do`,
        `controller: ${Math.round(before / 1e6)} MB before, ${Math.round(memory / 1e6)} MB afterwards, ${Math.round(peak / 1e6)} MB at most`,
        ...[few, many].map(
          ({ nodes, ms, cpuMs: cpu }) =>
            `one by one with ${nodes} nodes: p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms, CPU ${cpu.toFixed(1)} ms`,
        ),
        `the ${PROOFS} proofs are of one swtpm by the agent's own code; the TPMs of the ${machines} are simulated, with the right answers, and 128 of them knock at a time`,
        ...[...crowd.troubles].map(([why, count]) => `tried again ${count} times: ${why}`),
      ],
    };
  } finally {
    await scene.close();
  }
};

/** What a crowd costs. */
interface Rush {
  readonly machines: number;
  /** Milliseconds until each had its certificate: since all began, and since it knocked first. */
  readonly sinceAll: readonly number[];
  readonly own: readonly number[];
  /** Each. */
  readonly cpuMs: number;
}

async function rush(
  { controller: { pid } }: BenchScene,
  crowd: Crowd,
  machines: number,
  say: (line: string) => void,
): Promise<Rush> {
  const before = cpuOf(pid);
  const times = await crowd.atOnce(machines, say);
  return { ...times, machines, cpuMs: (cpuOf(pid) - before) / machines };
}

function rushText({ machines, sinceAll, own, cpuMs }: Rush): string {
  const last = Math.max(...sinceAll);
  const [half, most] = [percentile(sinceAll, 0.5), percentile(sinceAll, 0.99)].map(seconds);
  const [p50, p99] = [percentile(own, 0.5), percentile(own, 0.99)].map((ms) => Math.round(ms));
  return `${machines} at once: half had a certificate after ${half}, 99 % after ${most}, the last one after ${seconds(last)} (${Math.round((machines / last) * 1000)} a second); each from its first knock p50 ${p50} ms, p99 ${p99} ms; ${cpuMs.toFixed(1)} ms of CPU each`;
}

/** Waits until it does next to nothing: conditions are written behind the enrolments. @returns milliseconds */
async function settled(pid: number): Promise<number> {
  const began = performance.now();
  for (let quiet = 0; quiet < 3; ) {
    const before = cpuOf(pid);
    await sleep(LOOK_MS);
    quiet = (cpuOf(pid) - before) / LOOK_MS < IDLE ? quiet + 1 : 0;
  }
  return performance.now() - began - 3 * LOOK_MS;
}

/** So that each enrolment is judged, and its registers are compared. */
async function demandProofs({ cluster }: BenchScene): Promise<void> {
  const pcrs = [0, 2, 4, 7];
  const values = pcrs.map((pcr) => ({ pcr, anyOf: [ZERO] }));
  const spec = { selector: { cluster: 'demo' }, method: 'tpm', registers: { pcrs, values } };
  await cluster.client.request('POST', POLICIES, {
    body: {
      ...{ apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeIdentityPolicy' },
      ...{ metadata: { name: 'fleet', namespace: 'default' }, spec },
    },
  });
}

async function sample({ controller }: BenchScene, crowd: Crowd, nodes: number): Promise<Mark> {
  const before = cpuOf(controller.pid);
  const ms = await crowd.oneByOne(SAMPLE);
  return { nodes, ms, cpuMs: (cpuOf(controller.pid) - before) / SAMPLE };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
