import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane, Machine } from '../../lab/lab.ts';

/** What a fault happens to. */
export interface Scene {
  controlPlane: ControlPlane;
  /** All machines that join in this round; a fault falls on each of them in the same way. */
  machines: readonly Machine[];
  /** Of the round; unknown to the cluster where the fault is that it comes late. */
  token: string;
  /** Uniform in [0, 1), the same at every run of the bench. */
  random: () => number;
  /** Seconds in which a join that nothing disturbs is under way; what strikes in its middle strikes within these. */
  busySeconds: number;
}

export interface Fault {
  readonly name: string;
  /** The token of the round is not made beforehand. */
  readonly lateToken?: boolean;
  /** The API server is named by a name that leads to a dead address first. */
  readonly deadEndpoint?: boolean;
  /** Joins in each run where chance decides more than the contender does: the median of five says nothing there. */
  readonly times?: number;
  /** The machine was made anew under its old name, and its Node is still there. */
  readonly oldNode?: boolean;
  /** What the join needs is not there at its beginning, or not where it is looked for first. */
  readonly comesLate?: boolean;
  /** Before the joins begin. */
  prepare?(scene: Scene): Promise<void>;
  /** While they run. @returns when what comes late was there, milliseconds since 1970 */
  strike?(scene: Scene): Promise<number | undefined>;
  /** Afterwards, also where `strike` has failed. */
  heal?(scene: Scene): Promise<void>;
}

const REFUSE = ['OUTPUT', '-p', 'tcp', '--dport', '6443', '-j', 'REJECT', '--reject-with', 'tcp-reset'];

const NETEM = ['dev', 'eth0', 'root', 'netem', 'loss', '30%'];
const DROP = [
  'INPUT',
  '-i',
  'eth0',
  '-m',
  'statistic',
  '--mode',
  'random',
  '--probability',
  '0.3',
  '-j',
  'DROP',
];

/** By netem, or by the packet filter where the kernel has no netem: then what comes in is lost. */
async function losePackets(machine: Machine): Promise<void> {
  const { code } = await machine.exec(['tc', 'qdisc', 'add', ...NETEM]);
  if (code !== 0) await machine.execOk(['iptables', '-I', ...DROP]);
}

async function keepPackets(machine: Machine): Promise<void> {
  await machine.exec(['tc', 'qdisc', 'del', 'dev', 'eth0', 'root']);
  await machine.exec(['iptables', '-D', ...DROP]);
}

const onAll = (machines: readonly Machine[], command: string[]) =>
  Promise.all(machines.map((machine) => machine.execOk(command)));

const between = (random: () => number, from: number, to: number) =>
  sleep(1000 * (from + random() * (to - from)));

const inTheMiddle = ({ random, busySeconds }: Scene) => between(random, 0.3, busySeconds);

/** A dead address on the lab's network: nobody answers there, not even with a refusal. */
export const DEAD = '10.99.0.250';
/** A name of the API server's certificate. */
export const API_NAME = 'kubernetes.default';

export const FAULTS: readonly Fault[] = [
  { name: 'none' },
  {
    name: 'API server restarted',
    async strike(scene) {
      await inTheMiddle(scene);
      await scene.controlPlane.stop('apiserver');
      await scene.controlPlane.start('apiserver');
      return undefined;
    },
  },
  {
    name: 'connections refused at first',
    comesLate: true,
    prepare: async ({ machines }) => void (await onAll(machines, ['iptables', '-I', ...REFUSE])),
    async strike({ machines, random }) {
      await between(random, 15, 25);
      await onAll(machines, ['iptables', '-D', ...REFUSE]);
      return Date.now();
    },
    heal: async ({ machines }) =>
      void (await Promise.all(machines.map((machine) => machine.exec(['iptables', '-D', ...REFUSE])))),
  },
  {
    name: 'connections refused for 20 s',
    async strike(scene) {
      await inTheMiddle(scene);
      await onAll(scene.machines, ['iptables', '-I', ...REFUSE]);
      await sleep(20_000);
      await onAll(scene.machines, ['iptables', '-D', ...REFUSE]);
      return undefined;
    },
    heal: async ({ machines }) =>
      void (await Promise.all(machines.map((machine) => machine.exec(['iptables', '-D', ...REFUSE])))),
  },
  {
    name: '30 % of packets lost',
    times: 3,
    prepare: async ({ machines }) => void (await Promise.all(machines.map(losePackets))),
    heal: async ({ machines }) => void (await Promise.all(machines.map(keepPackets))),
  },
  {
    name: 'containerd comes up late',
    comesLate: true,
    prepare: async ({ machines }) => void (await onAll(machines, ['systemctl', 'stop', 'containerd'])),
    async strike({ machines, random }) {
      await between(random, 5, 15);
      await onAll(machines, ['systemctl', 'start', 'containerd']);
      return Date.now();
    },
    heal: async ({ machines }) => void (await onAll(machines, ['systemctl', 'start', 'containerd'])),
  },
  {
    name: 'containerd restarted',
    async strike(scene) {
      await inTheMiddle(scene);
      await onAll(scene.machines, ['systemctl', 'stop', 'containerd']);
      await sleep(5_000);
      await onAll(scene.machines, ['systemctl', 'start', 'containerd']);
      return undefined;
    },
    heal: async ({ machines }) => void (await onAll(machines, ['systemctl', 'start', 'containerd'])),
  },
  {
    name: 'token made late',
    comesLate: true,
    lateToken: true,
    async strike({ controlPlane, token, random }) {
      await between(random, 20, 70);
      const [id = '', secret = ''] = token.split('.');
      await controlPlane.createToken({ id, secret });
      return Date.now();
    },
  },
  { name: 'one of two endpoints dead', deadEndpoint: true, comesLate: true },
  { name: 'Node of the machine before still Ready', oldNode: true },
];

/** mulberry32: small, and the same everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
