/** The key that `util.inspect` calls, written out to avoid loading node:util. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** What appears in place of a secret when somebody prints it. */
const PLACEHOLDER = '[sensitive]';

/**
 * Holds a value that must not be shown. String conversion, JSON and `util.inspect` (so also `console.log`)
 * print `[sensitive]`; only `reveal()` returns the value. It lies in a private field, which enumeration,
 * spreading and structured cloning cannot reach.
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
