/** Choices that are the same in every run. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2654435761;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    // Numerical Recipes' generator; its high bits are the good ones.
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}
