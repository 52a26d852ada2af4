import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { kubernetesBinaries } from '../../lab/kubernetes/kubernetes.ts';
import type { ControlPlane } from '../../lab/lab.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { BenchError } from '../measure/measure.ts';

const LIMIT_MS = 180_000;

/** A state that objects of a kind come to. */
interface Awaited {
  kind: 'nodes' | 'pods';
  /** JSONPath of the field that shows it. */
  field: string;
  value: string;
}

export const READY_NODES: Awaited = {
  kind: 'nodes',
  field: '.status.conditions[?(@.type=="Ready")].status',
  value: 'True',
};
export const RUNNING_PODS: Awaited = { kind: 'pods', field: '.status.phase', value: 'Running' };

/** kubectl's watch ends with the API server that it asks. */
const AGAIN_MS = 100;

/** Sees objects come to a state at the moment when the API server tells it. */
export class StateWatch {
  readonly #awaited: Awaited;
  readonly #begin: () => Running;
  #kubectl: Running;
  #again: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #seenAt = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  private constructor(awaited: Awaited, begin: () => Running) {
    this.#awaited = awaited;
    this.#begin = begin;
    this.#kubectl = this.#watch();
  }

  #watch(): Running {
    const kubectl = this.#begin();
    if (kubectl.stdout)
      createInterface(kubectl.stdout).on('line', (line) => {
        const [name = '', value] = line.split(' ');
        if (value !== this.#awaited.value || this.#seenAt.has(name)) return;
        this.#seenAt.set(name, performance.now());
        this.#waiting.get(name)?.();
      });
    const over = () => {
      if (this.#closed) return;
      this.#again = setTimeout(() => {
        this.#kubectl = this.#watch();
      }, AGAIN_MS);
    };
    kubectl.then(over, over);
    return kubectl;
  }

  static async open(
    controlPlane: ControlPlane,
    awaited: Awaited,
    say: (line: string) => void,
  ): Promise<StateWatch> {
    const kubectl = join(await kubernetesBinaries(say), 'kubectl');
    const kubeconfig = `--kubeconfig=${controlPlane.adminKubeconfig}`;
    const [program = '', ...rest] = controlPlane.onSwitch([
      ...[kubectl, kubeconfig, 'get', awaited.kind, '--watch'],
      `--output=jsonpath={.metadata.name} {${awaited.field}}{"\\n"}`,
    ]);
    return new StateWatch(awaited, () => start(program, rest, { buffer: false }));
  }

  /** @returns when it was seen so, as performance.now() has it */
  async seen(name: string): Promise<number> {
    const late = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        const { kind, value } = this.#awaited;
        reject(new BenchError(`${name} of the ${kind} was not ${value} after ${LIMIT_MS / 1000} s`));
      }, LIMIT_MS);
      this.#waiting.set(name, () => clearTimeout(timer));
    });
    const seen = new Promise<void>((resolve) => {
      const stop = this.#waiting.get(name);
      this.#waiting.set(name, () => {
        stop?.();
        resolve();
      });
    });
    if (this.#seenAt.has(name)) this.#waiting.get(name)?.();
    await Promise.race([seen, late]);
    return this.#seenAt.get(name) as number;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    this.#kubectl.kill('SIGKILL');
    await this.#kubectl.catch(() => undefined);
  }
}
