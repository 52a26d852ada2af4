import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import type { ClusterData } from '../../support/cluster-api/cluster-data.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { bootMachine } from '../../support/machines.ts';
import { forget } from '../join/contenders.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row } from '../row.ts';

/** The agent has said what it waits for by then, and asks as seldom as it is going to. */
const SETTLE_MS = 5_000;
const WATCH_MS = 20_000;
const PATIENCE_MS = 60_000;
/** USER_HZ, which Linux has the same everywhere. */
const TICKS = 100;

/** What a join waits for. */
interface Wait {
  readonly name: string;
  /** What the agent's journal says of it. */
  readonly told: RegExp;
  readonly token?: string;
  readonly endpoint?: string;
  readonly containerd?: 'stopped';
}

const WAITS: readonly Wait[] = [
  { name: 'an API server that refuses connections', told: /does not answer yet/, endpoint: '10.99.0.1:1' },
  { name: 'an API server that is silent', told: /does not answer yet/, endpoint: '10.99.0.250:6443' },
  {
    name: 'a token that comes late',
    told: /does not know the token/,
    token: `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`,
  },
  { name: 'the container runtime', told: /waiting for the container runtime/, containerd: 'stopped' },
];

/** Processor time that the agent and its children take while a join waits, in hundredths of one processor. */
export const idle: Row = async ({ say }) => {
  const lab = await openLab();
  try {
    const controlPlane: ControlPlane = await lab.controlPlane();
    const cluster = await joinableCluster(controlPlane);
    const machine = await bootMachine(lab, 'w1', {
      ...{ role: 'worker', userData: '#cloud-config\n', mode: 'binary' },
    });
    const shares: [string, number][] = [];
    for (const wait of WAITS) {
      shares.push([wait.name, await share(machine, cluster, wait)]);
      say(`waiting for ${shares.at(-1)?.[0]}: ${shares.at(-1)?.[1].toFixed(2)} % of a processor`);
    }
    return {
      about: `processor time while a join waits, over ${WATCH_MS / 1000} s`,
      ...{ runs: 1, standings: [], notes: [] },
      verdicts: shares.map(([name, value]) => ({
        what: `waiting for ${name}, hundredths of a processor`,
        ...{ value, goal: 1, direction: 'most', unit: 'count' },
      })),
    };
  } finally {
    await lab.close();
  }
};

async function share(machine: Machine, cluster: ClusterData, wait: Wait): Promise<number> {
  await forget(machine);
  const { token = cluster.token, endpoint = cluster.endpoint } = wait;
  const discovery = { token, endpoint };
  await machine.put('/root/user-data', workerJoin(cluster, { discovery }), 0o600);
  await machine.put('/root/meta-data', `instance-id: ${wait.name}\nlocal-hostname: ${machine.name}\n`);
  if (wait.containerd) await machine.execOk(['systemctl', 'stop', 'containerd']);
  const unit = `idle-${WAITS.indexOf(wait)}`;
  const own = 'slipway bootstrap --user-data /root/user-data --meta-data /root/meta-data --deadline 5m';
  await machine.execOk(['systemd-run', '--quiet', `--unit=${unit}`, ...own.split(' ')]);
  await machine.waitFor(
    async () => wait.told.test((await machine.exec(['cat', '/var/lib/slipway/journal.jsonl'])).stdout),
    { timeoutMs: PATIENCE_MS, what: `the agent to wait for ${wait.name}` },
  );
  await sleep(SETTLE_MS);
  const before = await ticks(machine, unit);
  const began = performance.now();
  await sleep(WATCH_MS);
  const spent = (await ticks(machine, unit)) - before;
  const seconds = (performance.now() - began) / 1000;
  await machine.exec(['systemctl', 'kill', '--signal=KILL', unit]);
  if (wait.containerd) await machine.execOk(['systemctl', 'start', 'containerd']);
  return (100 * spent) / TICKS / seconds;
}

/** Of the agent and of its children that have ended (proc(5): utime, stime, cutime, cstime). */
async function ticks(machine: Machine, unit: string): Promise<number> {
  const pid = (await machine.execOk(['systemctl', 'show', '-P', 'MainPID', unit])).trim();
  if (pid === '0') throw new BenchError('the agent does not wait any more');
  const stat = await machine.read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
}
