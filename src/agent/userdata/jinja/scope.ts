import type { Value } from './values/values.ts';

/** Variables of a block; what is not found in it is looked up in the blocks around it. */
export class Scope {
  readonly #values: Map<string, Value>;
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope, values: Map<string, Value> = new Map()) {
    this.#outer = outer;
    this.#values = values;
  }

  /** Undefined when no block has the variable. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value === undefined ? this.#outer?.get(name) : value;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
