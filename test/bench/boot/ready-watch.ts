import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { kubernetesBinaries } from '../../lab/kubernetes/kubernetes.ts';
import type { ControlPlane } from '../../lab/lab.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { BenchError } from '../measure/measure.ts';

const FORM = '{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}';
const LIMIT_MS = 180_000;

/** Sees Nodes become Ready at the moment when the API server tells it. */
export class ReadyWatch {
  readonly #kubectl: Running;
  readonly #readyAt = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  private constructor(kubectl: Running) {
    this.#kubectl = kubectl;
    if (kubectl.stdout)
      createInterface(kubectl.stdout).on('line', (line) => {
        const [name = '', ready] = line.split(' ');
        if (ready !== 'True' || this.#readyAt.has(name)) return;
        this.#readyAt.set(name, performance.now());
        this.#waiting.get(name)?.();
      });
  }

  static async open(controlPlane: ControlPlane, say: (line: string) => void): Promise<ReadyWatch> {
    const kubectl = join(await kubernetesBinaries(say), 'kubectl');
    const kubeconfig = `--kubeconfig=${controlPlane.adminKubeconfig}`;
    const [program = '', ...rest] = controlPlane.onSwitch([
      ...[kubectl, kubeconfig, 'get', 'nodes', '--watch', `--output=jsonpath=${FORM}`],
    ]);
    return new ReadyWatch(start(program, rest, { buffer: false }));
  }

  /** @returns when the Node was seen Ready, as performance.now() has it */
  async ready(name: string): Promise<number> {
    const late = new Promise<never>((_, reject) => {
      const timer = setTimeout(
        () => reject(new BenchError(`the Node ${name} was not Ready after ${LIMIT_MS / 1000} s`)),
        LIMIT_MS,
      );
      this.#waiting.set(name, () => clearTimeout(timer));
    });
    const seen = new Promise<void>((resolve) => {
      const stop = this.#waiting.get(name);
      this.#waiting.set(name, () => {
        stop?.();
        resolve();
      });
    });
    if (this.#readyAt.has(name)) this.#waiting.get(name)?.();
    await Promise.race([seen, late]);
    return this.#readyAt.get(name) as number;
  }

  async close(): Promise<void> {
    this.#kubectl.kill('SIGKILL');
    await this.#kubectl.catch(() => undefined);
  }
}
