import { BACKOFF, waitMs } from '../../kit/backoff.ts';
import { KubeError } from '../kube/kube-error.ts';

interface WorkQueueOptions {
  /** How many keys are in work at once. */
  readonly parallel: number;
  readonly failed: (key: string, error: unknown, retryInMs: number) => void;
  readonly random?: () => number;
}

/**
 * Keys to look at again, urgent ones first. Each is queued once however often it is added, which loses
 * nothing, because the work reads the present state. A failed key is tried again later, with jitter.
 */
export class WorkQueue {
  readonly #work: (key: string) => Promise<void>;
  readonly #options: WorkQueueOptions;
  readonly #urgent = new Set<string>();
  readonly #ordinary = new Set<string>();
  readonly #active = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  #stopped = false;
  #idle: (() => void)[] = [];

  constructor(work: (key: string) => Promise<void>, options: WorkQueueOptions) {
    this.#work = work;
    this.#options = options;
  }

  get length(): number {
    return this.#urgent.size + this.#ordinary.size + this.#active.size;
  }

  add(key: string, urgent = false): void {
    if (this.#stopped) return;
    if (urgent) {
      this.#ordinary.delete(key);
      this.#urgent.add(key);
    } else if (!this.#urgent.has(key)) this.#ordinary.add(key);
    this.#pump();
  }

  /** Adds the key again after a while; of two times, the earlier counts. */
  later(key: string, ms: number): void {
    const at = performance.now() + ms;
    const known = this.#timers.get(key);
    if (this.#stopped || (known && known.at <= at)) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, ms);
    this.#timers.set(key, { timer, at });
  }

  forget(key: string): void {
    this.#urgent.delete(key);
    this.#ordinary.delete(key);
    this.#failures.delete(key);
    clearTimeout(this.#timers.get(key)?.timer);
    this.#timers.delete(key);
  }

  /** Begins nothing new and waits for current work. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#urgent.clear();
    this.#ordinary.clear();
    if (this.#active.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    for (const waiting of [this.#urgent, this.#ordinary]) {
      for (const key of waiting) {
        if (this.#active.size >= this.#options.parallel) return;
        if (this.#active.has(key)) continue;
        waiting.delete(key);
        void this.#run(key);
      }
    }
  }

  async #run(key: string): Promise<void> {
    this.#active.add(key);
    try {
      await this.#work(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const { random = Math.random } = this.#options;
      const asked = error instanceof KubeError ? error.retryAfterMs : undefined;
      const retryInMs = waitMs(failures, BACKOFF.work, random, asked);
      this.#options.failed(key, error, retryInMs);
      this.later(key, retryInMs);
    } finally {
      this.#active.delete(key);
      this.#pump();
      if (this.#active.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }
}
