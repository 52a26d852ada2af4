export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Most names in memory; a forgotten name starts with a full bucket. */
const MAX_NAMES = 20_000;

/** Token buckets by name, in bounded memory whatever names come. */
export class Rates {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { level: number; at: number }>();

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * @param cost may be more than there is: then the name is in debt, and waits the longer for the next time
   * @returns 0 if it may proceed; else the milliseconds to wait
   */
  take(name: string, cost = 1): number {
    const level = this.#levelOf(name);
    this.#put(name, level >= 1 ? level - cost : level);
    return this.#wait(level);
  }

  /** @returns what `take` would, and takes nothing */
  wait(name: string): number {
    return this.#wait(this.#levelOf(name));
  }

  #levelOf(name: string): number {
    const { perSecond, burst } = this.#limit;
    const bucket = this.#buckets.get(name);
    return bucket ? Math.min(burst, bucket.level + ((this.#now() - bucket.at) / 1000) * perSecond) : burst;
  }

  #put(name: string, level: number): void {
    this.#buckets.delete(name);
    // A Map's first entry is its oldest: the name that was quiet longest.
    if (this.#buckets.size >= MAX_NAMES) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    this.#buckets.set(name, { level, at: this.#now() });
  }

  #wait(level: number): number {
    return level >= 1 ? 0 : Math.ceil(((1 - level) / this.#limit.perSecond) * 1000);
  }
}
