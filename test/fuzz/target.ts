/** One thing that reads bytes which a stranger or a broken disk may have written. */
export interface Target {
  readonly name: string;
  /** Whole examples: real ones, and small ones that hold every part. Called once. */
  corpus(): Buffer[];
  /** Words that its format gives a meaning to. */
  readonly dictionary: readonly string[];
  /** Is it an error with which it refuses bytes, as its documentation says? Absent: it refuses by what it returns. */
  refuses?(error: unknown): boolean;
  /**
   * Reads the bytes by the entry points that the programs call.
   *
   * @returns what it made of them, as JSON can have it; the same bytes must give the same
   * @throws Broken where the answer is one that it must not give
   */
  run(bytes: Buffer): unknown;
}

/** A promise of the code under test that does not hold. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export function must(holds: boolean, promise: string): void {
  if (!holds) throw new Broken(promise);
}
