/** What all of a kind may cost together. */
export interface HandshakeLimits {
  /** Milliseconds of the thread's processor time. */
  readonly msPerSecond: number;
  /** Saved up while nobody came. */
  readonly burstMs: number;
  /** Steps that wait. */
  readonly mostWaiting: number;
}

interface Waiting {
  readonly step: () => void;
  readonly dropped: () => void;
}

/** So much of what an address has cost is forgotten each second: as much as the handshakes of ten honest machines. */
const FORGOTTEN_MS_PER_SECOND = 20;
/** Most addresses in memory. */
const MAX_ADDRESSES = 20_000;

/**
 * Shares the processor time that handshakes may take among those who shake hands. The cost of each step is measured: what a chain of certificates
 * costs to verify is up to whoever sends it. While there is time left everybody is served at once; then the address that has cost least goes first,
 * so that those with an ordinary handshake hardly wait for those with an expensive one.
 */
export class HandshakeBudget {
  readonly #limits: HandshakeLimits;
  readonly #now: () => number;
  readonly #cost: () => number;
  /** By address; the one that has waited longest first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Addresses and what they have cost, the one that was quiet longest first. */
  readonly #used = new Map<string, { ms: number; at: number }>();
  #count = 0;
  #level: number;
  #at: number;
  #isDue = false;

  /**
   * @param now milliseconds of a clock that nobody sets
   * @param cost milliseconds of processor time that this thread has used
   */
  constructor(limits: HandshakeLimits, now = () => performance.now(), cost = threadMs) {
    this.#limits = limits;
    this.#level = limits.burstMs;
    [this.#now, this.#cost] = [now, cost];
    this.#at = now();
  }

  /** Calls `step` now, or when it is its turn; `dropped` where too many wait and this address has cost most. */
  take(address: string, step: () => void, dropped: () => void): void {
    if (this.#count === 0 && this.#wait() === 0) {
      this.#run(address, step);
      return;
    }
    const mine = this.#waiting.get(address) ?? [];
    this.#waiting.set(address, mine);
    mine.push({ step, dropped });
    this.#count += 1;
    if (this.#count > this.#limits.mostWaiting) this.#drop();
    this.#schedule();
  }

  #run(address: string, step: () => void): void {
    const before = this.#cost();
    try {
      step();
    } finally {
      const ms = this.#cost() - before;
      this.#level -= ms;
      this.#remember(address, this.#usedBy(address) + ms);
    }
  }

  /** One step, then whatever else the thread has to do. */
  #schedule(): void {
    if (this.#isDue || this.#count === 0) return;
    this.#isDue = true;
    const next = (): void => {
      this.#isDue = false;
      const address = this.#pick((used, least) => used < least);
      const one = address === undefined ? undefined : this.#leave(address, 'first');
      if (address !== undefined && one) this.#run(address, one.step);
      this.#schedule();
    };
    const waitMs = this.#wait();
    if (waitMs === 0) setImmediate(next);
    else setTimeout(next, waitMs);
  }

  /** The newest of the address that has cost most. */
  #drop(): void {
    const address = this.#pick((used, most) => used > most);
    if (address !== undefined) this.#leave(address, 'last')?.dropped();
  }

  #pick(isBetter: (used: number, best: number) => boolean): string | undefined {
    let best: { address: string; used: number } | undefined;
    for (const address of this.#waiting.keys()) {
      const used = this.#usedBy(address);
      if (!best || isBetter(used, best.used)) best = { address, used };
    }
    return best?.address;
  }

  #leave(address: string, which: 'first' | 'last'): Waiting | undefined {
    const mine = this.#waiting.get(address);
    const one = which === 'first' ? mine?.shift() : mine?.pop();
    if (one) this.#count -= 1;
    // Others go first now that have cost as much.
    this.#waiting.delete(address);
    if (mine && mine.length > 0) this.#waiting.set(address, mine);
    return one;
  }

  /** @returns milliseconds until there is time again */
  #wait(): number {
    const { msPerSecond, burstMs } = this.#limits;
    const now = this.#now();
    this.#level = Math.min(burstMs, this.#level + ((now - this.#at) / 1_000) * msPerSecond);
    this.#at = now;
    return this.#level > 0 ? 0 : Math.ceil((-this.#level / msPerSecond) * 1_000) + 1;
  }

  #usedBy(address: string): number {
    const used = this.#used.get(address);
    if (!used) return 0;
    return Math.max(0, used.ms - ((this.#now() - used.at) / 1_000) * FORGOTTEN_MS_PER_SECOND);
  }

  #remember(address: string, ms: number): void {
    this.#used.delete(address);
    if (this.#used.size >= MAX_ADDRESSES) this.#used.delete(this.#used.keys().next().value ?? '');
    this.#used.set(address, { ms, at: this.#now() });
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
