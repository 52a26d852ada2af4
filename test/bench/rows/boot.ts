import { type Lab, type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster, newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, workerJoin } from '../../support/cluster-api/user-data.ts';
import { bootMachine } from '../../support/machines.ts';
import { PLAIN, WAYS, type Way } from '../boot/contenders.ts';
import { ReadyWatch } from '../boot/ready-watch.ts';
import { median } from '../measure/interleave.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row, Verdict } from '../row.ts';

const INIT_IP = '10.99.1.10';
const READY_LIMIT = 240;

interface Boot {
  role: 'worker' | 'first control plane';
  way: Way;
  /** From the start of PID 1 to the Node being Ready. */
  seconds: number;
}

/** From the start of PID 1, with the user data in place, to a Ready Node: three ways, in turn, on the same image. */
export const boot: Row = async ({ runs = 5, say }) => {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const watch = await ReadyWatch.open(controlPlane, say);
    const boots: Boot[] = [];
    const waterfalls = new Map<string, string>();
    try {
      const cluster = await joinableCluster(controlPlane);
      // The first round only warms the page cache.
      for (let run = 0; run <= runs; run += 1) {
        for (const [index, way] of WAYS.entries()) {
          const name = `w${run}-${index}`;
          const machine = await prepared(lab, name, 'worker', way, workerJoin(cluster));
          const seconds = await timed(machine, async () => watch.ready(name));
          if (way !== PLAIN) waterfalls.set(`worker, ${way.label}`, await timeline(machine));
          await machine.down();
          await controlPlane.kubectl(['delete', 'node', name]);
          note({ role: 'worker', way, seconds }, run);
        }
        for (const way of WAYS) {
          const name = 'cp1';
          const machine = await prepared(lab, name, 'control-plane', way, await initData());
          const seconds = await timed(machine, () => readyOnItself(machine, name));
          if (way !== PLAIN) waterfalls.set(`first control plane, ${way.label}`, await timeline(machine));
          await machine.down();
          note({ role: 'first control plane', way, seconds }, run);
        }
      }
    } finally {
      await watch.close();
    }
    return {
      about: `from the start of PID 1 to a Ready Node, ${runs} of each in turn`,
      runs,
      standings: [],
      verdicts: [...verdicts(boots, 'worker', 0.75), ...verdicts(boots, 'first control plane', 0.85)],
      table: table(boots),
      notes: [...waterfalls].map(([what, text]) => `${what}:\n${text}`),
    };

    function note(one: Boot, run: number): void {
      say(`${run}/${runs} ${one.role}, ${one.way.label}: ${one.seconds.toFixed(1)} s`);
      if (run > 0) boots.push(one);
    }
  } finally {
    await lab.close();
  }
};

async function initData(): Promise<string> {
  return controlPlaneInit(await newCluster(INIT_IP), INIT_IP);
}

function prepared(
  lab: Lab,
  name: string,
  role: 'worker' | 'control-plane',
  { mode }: Way,
  userData: string,
): Promise<Machine> {
  const ip = role === 'control-plane' ? { ip: INIT_IP } : {};
  return bootMachine(lab, name, { role, mode, userData, boot: false, ...ip });
}

/** @returns seconds */
async function timed(machine: Machine, ready: () => Promise<number>): Promise<number> {
  const started = performance.now();
  await machine.boot('init');
  return ((await ready()) - started) / 1000;
}

/** The only API server that knows it runs on the machine itself. */
async function readyOnItself(machine: Machine, name: string): Promise<number> {
  const kubectl = 'kubectl --kubeconfig /etc/kubernetes/admin.conf';
  const ask = `${kubectl} wait --for=condition=Ready node/${name} --timeout=60s`;
  const script = `end=$(($(date +%s) + ${READY_LIMIT})); until ${ask}; do [ $(date +%s) -lt $end ] || exit 1; sleep 0.2; done`;
  const { code, stderr } = await machine.exec(['sh', '-c', script], {
    timeoutMs: 1000 * (READY_LIMIT + 60),
  });
  if (code !== 0) throw new BenchError(`${name} was not Ready after ${READY_LIMIT} s: ${stderr.slice(-300)}`);
  return performance.now();
}

/** A machine that is Ready may still write its verdict. */
async function timeline(machine: Machine): Promise<string> {
  await machine.exec(['slipway', 'status', '--wait', '--timeout', '60s'], { timeoutMs: 90_000 });
  return machine.execOk(['slipway', 'status', '--timeline']);
}

const middle = (boots: readonly Boot[], role: Boot['role'], way: Way): number =>
  median(boots.filter((one) => one.role === role && one.way === way).map(({ seconds }) => seconds));

function verdicts(boots: readonly Boot[], role: Boot['role'], goal: number): Verdict[] {
  const base = middle(boots, role, PLAIN);
  return WAYS.filter((way) => way !== PLAIN).map((way) => ({
    what: `${role}: ${way.label} / ${PLAIN.label}`,
    value: middle(boots, role, way) / base,
    goal,
    direction: 'most',
    unit: 'times',
  }));
}

function table(boots: readonly Boot[]): string[][] {
  const roles = ['worker', 'first control plane'] as const;
  return [
    ['from PID 1 to Ready', ...WAYS.map(({ label }) => label)],
    ...roles.map((role) => [role, ...WAYS.map((way) => `${middle(boots, role, way).toFixed(1)} s`)]),
  ];
}
