/** Random numbers that a seed decides, so that a run can be had again (sfc32, seeded by an FNV hash of the text). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: string) {
    this.#a = hash(seed, 0x811c9dc5);
    this.#b = hash(seed, 0x9e3779b9);
    this.#c = hash(seed, 0x85ebca6b);
    for (let round = 0; round < 12; round += 1) this.#next();
  }

  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * limit);
  }

  chance(share: number): boolean {
    return this.#next() / 0x1_0000_0000 < share;
  }

  /** @throws Error for an empty list */
  pick<T>(from: readonly T[]): T {
    const [found] = from.slice(this.below(from.length)).slice(0, 1);
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found;
  }

  /** Small numbers mostly, now and then one near `limit`. */
  size(limit: number): number {
    return Math.min(
      limit,
      1 + this.below(2 ** (1 + this.below(Math.max(1, Math.ceil(Math.log2(limit + 1)))))),
    );
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

function hash(text: string, start: number): number {
  let value = start;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}
