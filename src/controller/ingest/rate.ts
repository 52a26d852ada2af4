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

  /** @returns 0 if the request may proceed; else the milliseconds to wait */
  take(name: string): number {
    const { perSecond, burst } = this.#limit;
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { level: burst, at: now };
    const level = Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
    this.#buckets.delete(name);
    // A Map's first entry is its oldest: the name that was quiet longest.
    if (this.#buckets.size >= MAX_NAMES) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    this.#buckets.set(name, { level: level >= 1 ? level - 1 : level, at: now });
    return level >= 1 ? 0 : Math.ceil(((1 - level) / perSecond) * 1000);
  }
}
