/** A piece of this size is worth an object of its own. */
const WHOLE_BYTES = 4096;

/**
 * Puts pieces together as they come. Who sends decides how many pieces there are, and each that is kept costs a hundred bytes
 * beside its own: a byte at a time, a body of a megabyte would take eighty.
 */
export class ByteCollector {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  add(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (this.#size === 0 && piece.length >= WHOLE_BYTES) this.#bytes = piece;
    else {
      if (size > this.#bytes.length) this.#grow(Math.max(size, this.#bytes.length * 2, WHOLE_BYTES));
      piece.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get all(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** @returns all, of which nothing is kept */
  take(): Buffer {
    const all = this.all;
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    return all;
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(room);
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}
