import type { Lab, Machine } from '../../lab/lab.ts';
import { bootMachine } from '../../support/machines.ts';
import { median } from '../measure/interleave.ts';
import type { RowResult, Verdict } from '../row.ts';
import { PLAIN, WAYS, type Way } from './contenders.ts';

type Role = 'worker' | 'first control plane' | 'second control plane';

/** At most so much of cloud-init + kubeadm. */
const GOALS: Readonly<Record<Role, number>> = {
  worker: 1.05,
  'first control plane': 1.05,
  'second control plane': 1.05,
};

interface Boot {
  role: Role;
  way: Way;
  /** From the start of PID 1 to the Node being Ready. */
  seconds: number;
  /** To a pod of its own running on it; of workers. */
  podSeconds?: number;
}

/** What a row has seen, told as it comes. The round with number 0 only warms the page cache, and does not count. */
export class Boots {
  readonly #roles: readonly Role[];
  readonly #runs: number;
  readonly #say: (line: string) => void;
  readonly #boots: Boot[] = [];
  readonly #waterfalls = new Map<string, string>();

  constructor(roles: readonly Role[], runs: number, say: (line: string) => void) {
    this.#roles = roles;
    this.#runs = runs;
    this.#say = say;
  }

  async note(run: number, machine: Machine, boot: Boot): Promise<void> {
    const { role, way, seconds, podSeconds } = boot;
    const pod = podSeconds === undefined ? '' : `, its pod ${podSeconds.toFixed(1)} s`;
    this.#say(`${run}/${this.#runs} ${role}, ${way.label}: ${seconds.toFixed(1)} s${pod}`);
    if (run > 0) this.#boots.push(boot);
    if (way !== PLAIN) this.#waterfalls.set(`${role}, ${way.label}`, await timeline(machine));
  }

  result(): RowResult {
    return {
      about: `from the start of PID 1 to a Ready Node, ${this.#runs} of each in turn`,
      runs: this.#runs,
      standings: [],
      verdicts: this.#roles.flatMap((role) => this.#verdicts(role)),
      table: this.#table(),
      notes: [...this.#waterfalls].map(([what, text]) => `${what}:\n${text}`),
    };
  }

  #middle(role: Role, way: Way, figure: 'seconds' | 'podSeconds' = 'seconds'): number {
    const boots = this.#boots.filter((one) => one.role === role && one.way === way);
    return median(boots.map((one) => one[figure] ?? Number.NaN));
  }

  #verdicts(role: Role): Verdict[] {
    return WAYS.filter((way) => way !== PLAIN).map((way) => ({
      what: `${role}: ${way.label} / ${PLAIN.label}`,
      value: this.#middle(role, way) / this.#middle(role, PLAIN),
      ...{ goal: GOALS[role], direction: 'most', unit: 'times' },
    }));
  }

  #table(): string[][] {
    const line = (what: string, value: (way: Way) => number): string[] => [
      what,
      ...WAYS.map((way) => `${value(way).toFixed(1)} s`),
    ];
    const ofPods = this.#boots.some(({ podSeconds }) => podSeconds !== undefined);
    return [
      ['from PID 1 to Ready', ...WAYS.map(({ label }) => label)],
      ...this.#roles.map((role) => line(role, (way) => this.#middle(role, way))),
      ...(ofPods
        ? [line('worker, to a pod running on it', (way) => this.#middle('worker', way, 'podSeconds'))]
        : []),
    ];
  }
}

/** A machine that is switched off, with its user data in place. */
export function prepared(
  lab: Lab,
  name: string,
  { mode }: Way,
  spec: { role: 'worker' | 'control-plane'; userData: string; ip?: string },
): Promise<Machine> {
  return bootMachine(lab, name, { mode, boot: false, ...spec });
}

/** @returns when it was switched on, as performance.now() has it, and after how many seconds it was ready */
export async function timed(
  machine: Machine,
  ready: () => Promise<number>,
): Promise<{ started: number; seconds: number }> {
  const started = performance.now();
  await machine.boot('init');
  return { started, seconds: ((await ready()) - started) / 1000 };
}

/** A machine that is Ready may still write its verdict. */
async function timeline(machine: Machine): Promise<string> {
  await machine.exec(['slipway', 'status', '--wait', '--timeout', '60s'], { timeoutMs: 90_000 });
  return machine.execOk(['slipway', 'status', '--timeline']);
}
