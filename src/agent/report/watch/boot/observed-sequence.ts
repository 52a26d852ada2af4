import type { EventBody, EventFailure, EventStep } from '../../../../protocol/events.ts';
import { type KubeadmProcess, KubeadmProcessFinder } from '../../../callers/kubeadm-process.ts';
import type { Host } from '../../../host/host.ts';

export const KUBEADM: EventStep = { id: 'kubeadm', title: 'kubeadm' };

/** Events that are told together, once. */
export interface Observation {
  key: string;
  bodies: EventBody[];
}

/**
 * The story of a boot that is watched from outside: a sequence of two steps, what runs kubeadm (`outer`) and kubeadm
 * itself. Its words only; when which of them is due, whoever watches knows.
 */
export class ObservedSequence {
  readonly id: string;
  readonly #boot: string;
  readonly #outer: EventStep;
  readonly #processes: KubeadmProcessFinder | undefined;
  #kubeadm: KubeadmProcess | undefined;
  #attempts = 0;
  #isRunning = false;

  /** @param isSlipway kubeadm is Slipway here: seeing one says nothing of kubeadm itself */
  constructor(host: Host, boot: string, outer: EventStep, isSlipway: boolean) {
    this.id = `observed-${boot}`;
    this.#boot = boot;
    this.#outer = outer;
    this.#processes = isSlipway ? undefined : new KubeadmProcessFinder(host);
  }

  /** What kubeadm was last seen to do. */
  get verb(): KubeadmProcess['verb'] | undefined {
    return this.#kubeadm?.verb;
  }

  /** kubeadm ran at the last look. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  once(what: string, bodies: EventBody[]): Observation {
    return { key: `observed:${this.#boot}:${what}`, bodies };
  }

  begin(resumed: boolean): EventBody {
    const steps = [this.#outer, KUBEADM];
    return { type: 'sequence.started', sequence: this.id, mode: 'observed', steps, resumed };
  }

  started(step: EventStep, attempt: number): EventBody {
    return { type: 'step.started', sequence: this.id, step, attempt };
  }

  progress(step: EventStep, message: string, key: string): Observation {
    return this.once(key, [{ type: 'step.progress', sequence: this.id, step, message }]);
  }

  /** @param attempt of what runs kubeadm, where that counts them; else kubeadms are counted */
  async lookAtKubeadm(attempt?: number): Promise<Observation[]> {
    const [found] = (await this.#processes?.look()) ?? [];
    this.#isRunning = found !== undefined;
    if (!found || found.pid === this.#kubeadm?.pid) return [];
    this.#kubeadm = found;
    this.#attempts = attempt ?? this.#attempts + 1;
    return [
      this.once(`kubeadm:${found.pid}`, [this.started(KUBEADM, this.#attempts)]),
      this.progress(KUBEADM, `kubeadm ${found.verb}`, `kubeadm:${found.pid}:verb`),
    ];
  }

  /** What was seen of kubeadm was of an attempt that is over. */
  forgetKubeadm(): void {
    this.#kubeadm = undefined;
  }

  succeeded(ms: number, attempt = Math.max(1, this.#attempts)): Observation {
    const sequence = this.id;
    return this.once('end', [
      { type: 'step.ended', sequence, step: KUBEADM, attempt, result: 'done', ms },
      { type: 'sequence.ended', sequence, mode: 'observed', result: 'succeeded', exitStatus: 0, ms },
    ]);
  }

  /** @param ended how the steps ended, the one that `failure` belongs to last */
  failed(key: string, ended: EventBody[], step: EventStep, failure: EventFailure, ms: number): Observation {
    const head = { type: 'sequence.ended', sequence: this.id, mode: 'observed', result: 'failed' } as const;
    return this.once(key, [...ended, { ...head, exitStatus: 1, ms, step, failure }]);
  }
}
