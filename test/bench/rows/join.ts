import { randomBytes } from 'node:crypto';
import { minorOf } from '../../lab/kubernetes/release.ts';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { bootMachine } from '../../support/machines.ts';
import { READY_NODES, StateWatch } from '../boot/state-watch.ts';
import { CONTENDERS, type Contender, forget, type Round } from '../join/contenders.ts';
import { API_NAME, DEAD, FAULTS, type Fault, type Scene, seeded } from '../join/faults.ts';
import { verdictTimes } from '../join/verdict-time.ts';
import type { Row, Verdict } from '../row.ts';

const SEED = 20_260;

interface Join {
  fault: string;
  contender: string;
  joined: boolean;
  /** To the Node being Ready; from the beginning, and where something comes late, from when it is there. */
  seconds: number;
}

/** Joins of real workers under faults, three ways at the same time, and how soon a permanent failure is told. */
export const join: Row = async ({ runs = 3, say }) => {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const cluster = await joinableCluster(controlPlane);
    const machines: Machine[] = [];
    for (const [index] of CONTENDERS.entries()) {
      machines.push(
        await bootMachine(lab, `w${index + 1}`, {
          role: 'worker',
          userData: '#cloud-config\n',
          mode: 'binary',
        }),
      );
    }
    const [, , worker] = machines;
    if (worker === undefined) throw new Error('there is a third machine');
    const round: Round = { id: 'x', cluster, endpoint: cluster.endpoint, endpoints: [] };
    const times = await verdictTimes(worker, round, { exits: 7, crashes: 3 });
    say(`from the knowable to the verdict: ${JSON.stringify(times)} ms`);
    const random = seeded(SEED);
    // Kubelets up to 1.23 wait for Docker, and for a metadata service, before they register. Of a later one's join these are
    // the seconds that every contender is under way in, so that what strikes strikes all of them.
    const busySeconds = minorOf(cluster.kubernetesVersion) < 24 ? 9 : 1.2;
    const joins: Join[] = [];
    for (let run = 1; run <= runs; run += 1) {
      for (const fault of FAULTS.flatMap((one) => Array.from({ length: one.times ?? 1 }, () => one))) {
        const token = fault.lateToken
          ? `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`
          : cluster.token;
        const scene: Scene = { controlPlane, machines, token, random, busySeconds };
        const round: Round = {
          id: String(joins.length),
          cluster: { ...cluster, token },
          endpoint: fault.deadEndpoint ? `${API_NAME}:6443` : cluster.endpoint,
          endpoints: fault.deadEndpoint ? [`${DEAD}:6443`, cluster.endpoint] : [],
        };
        const results = await oneRound(scene, fault, round, say);
        joins.push(...results);
        say(`${run}/${runs} ${fault.name}: ${results.map(told).join(', ')}`);
      }
    }
    return {
      about: `joins of a real worker under faults (seed ${SEED}), ${counted(runs)}`,
      runs: 1,
      standings: [],
      verdicts: [
        {
          what: 'joins of 100 that Slipway completes',
          value: share(joins.filter(({ contender }) => contender === 'Slipway')),
          goal: 100,
          direction: 'least',
          unit: 'count',
        },
        {
          what: "from kubeadm's exit to the verdict, median",
          value: median(times.exits),
          goal: 2000,
          direction: 'most',
          unit: 'ms',
        },
        {
          what: "from the kubelet's third end to the verdict, median",
          value: median(times.crashes),
          goal: 2000,
          direction: 'most',
          unit: 'ms',
        },
        ...FAULTS.flatMap((fault) => againstKubeadm(fault, joins)),
      ],
      table: table(joins),
      notes: [
        'Seconds are the median of the joins that succeeded, until the Node was Ready (with an old Node until kubeadm ended well or the sentinel was there); where something comes late, from when it was there.',
      ],
    };
  } finally {
    await lab.close();
  }
};

/** How many joins of each fault there are each way, as a sentence's end. */
function counted(runs: number): string {
  const more = FAULTS.flatMap(({ name, times }) =>
    times === undefined ? [] : [`${runs * times} of "${name}"`],
  );
  return [`${runs} of each kind each way`, ...more].join(', ');
}

async function oneRound(
  scene: Scene,
  fault: Fault,
  round: Round,
  say: (line: string) => void,
): Promise<Join[]> {
  const { controlPlane, machines } = scene;
  if (fault.oldNode) await allReady(scene);
  await Promise.all(machines.map(forget));
  for (const { name } of machines)
    if (!fault.oldNode) await controlPlane.run('kubectl', ['delete', 'node', name, '--ignore-not-found']);
  const hosts = fault.deadEndpoint
    ? `${DEAD} ${API_NAME}\n${round.cluster.endpoint.split(':')[0]} ${API_NAME}\n`
    : '';
  await Promise.all(
    machines.map((machine) =>
      machine.put('/etc/hosts', `127.0.0.1 localhost\n${machine.ip} ${machine.name}\n${hosts}`),
    ),
  );
  // An old Node is Ready already.
  const nodes = fault.oldNode ? undefined : await StateWatch.open(controlPlane, READY_NODES, say);
  try {
    await fault.prepare?.(scene);
    const [results, cameAt] = await Promise.all([
      Promise.all(
        CONTENDERS.map((contender, index) => oneJoin(contender, machines[index] as Machine, round, nodes)),
      ),
      fault.strike?.(scene),
    ]);
    return results.map(({ contender, startedAt, endedAt, joined }) => ({
      ...{ fault: fault.name, contender, joined },
      seconds: (endedAt - Math.max(startedAt, cameAt ?? 0)) / 1000,
    }));
  } finally {
    await nodes?.close();
    await fault.heal?.(scene);
  }
}

/** They are what the round before has left. */
async function allReady({ controlPlane, machines }: Scene): Promise<void> {
  const nodes = machines.map(({ name }) => `node/${name}`);
  await controlPlane.run('kubectl', ['wait', '--for=condition=Ready', ...nodes, '--timeout=60s'], {
    timeoutMs: 90_000,
  });
}

/** kubeadm's end is not the same in all releases, nor for all contenders: what counts is the Node. */
async function oneJoin(contender: Contender, machine: Machine, round: Round, nodes: StateWatch | undefined) {
  const startedAt = Date.now();
  const joinedAt = await contender.join(machine, { ...round, id: `${round.id}-${machine.name}` });
  const joined = joinedAt !== undefined;
  const readyAt = joined && nodes ? performance.timeOrigin + (await nodes.seen(machine.name)) : joinedAt;
  return { contender: contender.label, startedAt, joined, endedAt: readyAt ?? Date.now() };
}

/** Nothing to hold against each other where one of the two has not joined at all. */
function againstKubeadm({ name, comesLate }: Fault, joins: readonly Join[]): Verdict[] {
  const seconds = (label: string): number =>
    median(joins.filter((one) => one.fault === name && one.contender === label && one.joined).map(secondsOf));
  const [plain, own] = [seconds('kubeadm join'), seconds('Slipway')];
  if (Number.isNaN(plain) || Number.isNaN(own)) return [];
  return [
    {
      what: `${name}: Slipway takes longer than kubeadm by`,
      value: 1000 * (own - plain),
      goal: 1000,
      direction: 'most',
      unit: 'ms',
    },
    ...(comesLate
      ? [
          {
            what: `${name}: Slipway / kubeadm`,
            value: own / plain,
            goal: 0.75,
            direction: 'most' as const,
            unit: 'times' as const,
          },
        ]
      : []),
  ];
}

const secondsOf = ({ seconds }: Join): number => seconds;

const told = ({ contender, joined, seconds }: Join): string =>
  `${contender} ${joined ? 'Ready' : 'FAILED'} after ${seconds.toFixed(1)} s`;

const share = (joins: readonly Join[]): number =>
  Math.floor((100 * joins.filter(({ joined }) => joined).length) / Math.max(1, joins.length));

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function table(joins: readonly Join[]): string[][] {
  const labels = CONTENDERS.map(({ label }) => label);
  const cell = (some: readonly Join[]): string => {
    const good = some.filter(({ joined }) => joined);
    const seconds = good.length === 0 ? '' : `, ${median(good.map((one) => one.seconds)).toFixed(1)} s`;
    return `${good.length} of ${some.length}${seconds}`;
  };
  const row = (name: string, of: readonly Join[]): string[] => [
    name,
    ...labels.map((label) => cell(of.filter(({ contender }) => contender === label))),
  ];
  return [
    ['fault', ...labels],
    ...FAULTS.map(({ name }) =>
      row(
        name,
        joins.filter(({ fault }) => fault === name),
      ),
    ),
    row('all', joins),
  ];
}
