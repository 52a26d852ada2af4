interface Patience {
  /** So many changes are nobody's trouble. */
  readonly free: number;
  /** The wait before the next one; it doubles with each. */
  readonly firstMs: number;
  /** The longest wait, and the time in which one change is forgotten. */
  readonly capMs: number;
}

/** Slows down what changes all the time: the first changes at once, each further one after a longer wait. */
export class ChangeThrottle {
  readonly #patience: Patience;
  #changes = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** @returns milliseconds until the next change may be made */
  waitMs(now: number): number {
    const { free, firstMs, capMs } = this.#patience;
    const over = Math.round(this.#changes) - free;
    if (over < 0) return 0;
    return Math.max(0, this.#at + Math.min(capMs, firstMs * 2 ** over) - now);
  }

  changed(now: number): void {
    this.#changes = Math.max(0, this.#changes - (now - this.#at) / this.#patience.capMs) + 1;
    this.#at = now;
  }
}
