/** What `util.inspect` calls; the module itself would have to be loaded first. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** What stands in the place of a secret wherever somebody prints it. */
export const PLACEHOLDER = '[sensitive]';

/**
 * Holds a value that must not be shown. String conversion, JSON and `util.inspect` (so also `console.log`) give
 * `[sensitive]`; only `reveal()` gives the value. The value lies in a private field, which no enumeration, spread or
 * structured clone reaches.
 */
export class Sensitive<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The only way to the value; call it as late as possible. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [Symbol.toPrimitive](): string {
    return PLACEHOLDER;
  }

  [INSPECT](): string {
    return PLACEHOLDER;
  }
}

/** Wraps `value`; see `Sensitive`. */
export function sensitive<T>(value: T): Sensitive<T> {
  return new Sensitive(value);
}
