import type { Value } from './values/values.ts';

/** The variables of a block; the surrounding blocks supply those that it lacks. */
export class Scope {
  readonly #values: Map<string, Value>;
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope, values: Map<string, Value> = new Map()) {
    this.#outer = outer;
    this.#values = values;
  }

  /** Undefined if no block has the variable. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value === undefined ? this.#outer?.get(name) : value;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
