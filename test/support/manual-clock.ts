import type { Clock } from '../../src/agent/host/host.ts';

/** A shorter pause passes at once, as between two attempts; heartbeats and deadlines are longer. */
const SHORT_MS = 10_000;

interface Sleeper {
  until: number;
  wake(): void;
}

/** A clock that a test moves. Whoever sleeps longer wakes when the test has moved it far enough, or by the signal. */
export class ManualClock implements Clock {
  #ms: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs = 1000) {
    this.#ms = startMs;
  }

  now(): Date {
    return new Date(this.#ms);
  }

  monotonic(): number {
    return this.#ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= SHORT_MS || signal?.aborted) {
      if (!signal?.aborted) this.#ms += ms;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const sleeper = { until: this.#ms + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => this.#wake(sleeper), { once: true });
    });
  }

  /** Moves the clock, and lets those go on whose time has come. */
  async advance(ms: number): Promise<void> {
    this.#ms += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#ms) this.#wake(sleeper);
    await new Promise(setImmediate);
  }

  #wake(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
    sleeper.wake();
  }
}
