import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeBinary } from '../../../build/project.ts';
import { type ControlPlane, openLab } from '../../lab/lab.ts';
import { run } from '../../lab/process/command.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { bootMachine } from '../../support/machines.ts';
import { percentile } from '../fleet/fleet.ts';
import { CONTENDERS, forget } from '../join/contenders.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row } from '../row.ts';
import { beginAudit, requestsBy } from '../scale/audit.ts';
import type { Crowd, CrowdSpec } from '../scale/joiners.ts';

const WITHIN_MS = 10_000;
const TROUBLE_MS = 20_000;
const LIMIT_MS = 120_000;

/** What a crowd meets while it waits. */
type Trouble = 'none' | 'token made late' | 'API server away';
const TROUBLES: readonly Trouble[] = ['none', 'token made late', 'API server away'];

interface Result extends Crowd {
  who: CrowdSpec['who'];
  trouble: Trouble;
  /** Milliseconds since 1970 from which on a machine could join. */
  possibleAt: number;
}

/**
 * A thousand machines (--runs N for another number) wait for one real API server on the same two cores, by the agent's own
 * code and as kubeadm asks; and what one real join asks of it in all.
 */
export const scale: Row = async ({ runs: machines = 1_000, say }) => {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const results: Result[] = [];
    for (const trouble of TROUBLES) {
      for (const who of ['kubeadm', 'slipway'] as const) {
        const result = await play(controlPlane, { who, trouble, machines });
        results.push(result);
        say(`${trouble}, ${who}: ${cells(result).join(', ')}`);
      }
    }
    const asked = await realJoins(lab, controlPlane);
    const of = (who: string, trouble: Trouble): Result =>
      results.find((result) => result.who === who && result.trouble === trouble) as Result;
    return {
      about: `${machines} machines that boot within ${WITHIN_MS / 1000} s wait for one API server`,
      runs: 1,
      standings: [],
      verdicts: [
        {
          what: 'machines of Slipway that gave up',
          value: results
            .filter(({ who }) => who === 'slipway')
            .flatMap(({ joiners }) => joiners)
            .filter(({ joinableAt }) => joinableAt === undefined).length,
          ...{ goal: 0, direction: 'most', unit: 'count' },
        },
        {
          what: 'after an outage, until 99 % can join: slipway / kubeadm',
          value: late(of('slipway', 'API server away'), 0.99) / late(of('kubeadm', 'API server away'), 0.99),
          ...{ goal: 1, direction: 'most', unit: 'times' },
        },
      ],
      table: [
        ['', 'requests, median and p99', 'most in a second', 'could join after, median and p99'],
        ...results.map((result) => [`${result.trouble}, as ${result.who}`, ...cells(result)]),
      ],
      notes: [
        'kubeadm is a loop with its interval and jitter here; a thousand real ones are too many for one machine.',
        'Times are from when a machine could join; client and API server share the processors.',
        ...asked,
      ],
    };
  } finally {
    await lab.close();
  }
};

async function play(
  controlPlane: ControlPlane,
  { who, trouble, machines }: { who: CrowdSpec['who']; trouble: Trouble; machines: number },
): Promise<Result> {
  const id = randomBytes(3).toString('hex');
  const token = { id, secret: randomBytes(8).toString('hex') };
  if (trouble !== 'token made late') await controlPlane.createToken(token);
  if (trouble === 'API server away') await controlPlane.stop('apiserver');
  const spec: CrowdSpec = {
    ...{ who, endpoint: controlPlane.endpoint, tokenId: id, machines },
    ...{ withinMs: WITHIN_MS, limitMs: LIMIT_MS },
  };
  const began = Date.now();
  const crowd = crowdOn(controlPlane, spec);
  let possibleAt = began;
  if (trouble !== 'none') {
    await sleep(TROUBLE_MS);
    if (trouble === 'token made late') await controlPlane.createToken(token);
    else await controlPlane.start('apiserver');
    possibleAt = Date.now();
  }
  return { ...(await crowd), who, trouble, possibleAt };
}

/** In a process on the cluster's own network. */
async function crowdOn(controlPlane: ControlPlane, spec: CrowdSpec): Promise<Crowd> {
  const program = join(import.meta.dirname, '../scale/joiners.ts');
  const [enter = '', ...words] = controlPlane.onSwitch([nodeBinary(), program, JSON.stringify(spec)]);
  const { code, stdout, stderr } = await run(enter, words, { timeoutMs: LIMIT_MS + 60_000 });
  if (code !== 0) throw new BenchError(`the crowd ended with status ${code}: ${stderr.slice(-300)}`);
  return JSON.parse(stdout) as Crowd;
}

/** Milliseconds from when a machine could join, and was there; who gave up counts as long as it waited. */
function late({ joiners, possibleAt }: Result, share: number): number {
  return percentile(
    joiners.map(({ beganAt, joinableAt = beganAt + LIMIT_MS }) =>
      Math.max(0, joinableAt - Math.max(possibleAt, beganAt)),
    ),
    share,
  );
}

function cells(result: Result): string[] {
  const requests = result.joiners.map((joiner) => joiner.requests);
  const seconds = new Map<number, number>();
  for (const at of result.sentAt) {
    const second = Math.floor(at / 1000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  return [
    `${percentile(requests, 0.5)} and ${percentile(requests, 0.99)}`,
    String(Math.max(...seconds.values())),
    `${(late(result, 0.5) / 1000).toFixed(1)} and ${(late(result, 0.99) / 1000).toFixed(1)} s`,
  ];
}

/** What one real machine asks of the API server from its join to Ready, by its audit log. */
async function realJoins(
  lab: Awaited<ReturnType<typeof openLab>>,
  controlPlane: ControlPlane,
): Promise<string[]> {
  await beginAudit(controlPlane);
  const cluster = await joinableCluster(controlPlane);
  const machine = await bootMachine(lab, 'w1', {
    role: 'worker',
    userData: '#cloud-config\n',
    mode: 'binary',
  });
  const notes: string[] = [];
  for (const { label, join } of CONTENDERS.filter((one) => one.label !== 'five tries')) {
    await forget(machine);
    await controlPlane.run('kubectl', ['delete', 'node', machine.name, '--ignore-not-found']);
    const before = await requestsBy(controlPlane);
    const round = { id: label, cluster, endpoint: cluster.endpoint, endpoints: [] };
    if ((await join(machine, round)) === undefined) throw new BenchError(`${label} did not join`);
    const after = await requestsBy(controlPlane);
    const count = (program: string): number =>
      (after.get(program)?.length ?? 0) - (before.get(program)?.length ?? 0);
    notes.push(
      `one real join by ${label}: ${count('kubeadm')} requests of kubeadm, ${count('slipway')} of Slipway, ${count('kubelet')} of the kubelet so far`,
    );
  }
  return notes;
}
