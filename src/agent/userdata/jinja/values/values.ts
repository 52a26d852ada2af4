import { ExpectedError } from '../../../../kit/errors.ts';
import { MAX_JINJA_OUTPUT } from '../../../text/limits.ts';

/** An immutable value of a template, with Python's distinctions: integers are bigint, floats are number. */
export type Value = null | boolean | bigint | number | string | Sequence | Dict | Undefined | Loop;

/** The size of a value. Shared lists count as often as they occur, because they print as often. */
interface Extent {
  readonly count: number;
  readonly depth: number;
  /** Of all its texts. */
  readonly chars: number;
}

/** Most items, over all levels, of a list or mapping to print or compare; user data has some hundreds. */
const MAX_COUNT = 100_000;
const MAX_DEPTH = 150;

/** Lists, tuples, results of `range()`, and a mapping's views from `keys()`, `values()` and `items()`. */
export class Sequence {
  readonly kind: 'list' | 'tuple' | 'range' | 'view';
  readonly items: readonly Value[];
  readonly extent: Extent;

  constructor(kind: Sequence['kind'], items: readonly Value[]) {
    this.kind = kind;
    this.items = items;
    this.extent = extentOf(items);
  }
}

export function list(items: readonly Value[]): Sequence {
  return new Sequence('list', items);
}

/** A mapping. Keys that Python considers equal are one key; the first of them stays. */
export class Dict {
  readonly extent: Extent;
  readonly #entries = new Map<string, [key: Value, value: Value]>();

  constructor(pairs: readonly (readonly [key: Value, value: Value])[]) {
    for (const [key, value] of pairs) {
      const id = identity(key);
      this.#entries.set(id, [this.#entries.get(id)?.[0] ?? key, value]);
    }
    this.extent = extentOf(this.pairs.flat());
  }

  /** Undefined if there is no such key. */
  get(key: Value): Value | undefined {
    return canBeKey(key) ? this.#entries.get(identity(key))?.[1] : undefined;
  }

  get pairs(): [Value, Value][] {
    return [...this.#entries.values()];
  }

  get size(): number {
    return this.#entries.size;
  }
}

/** A variable or member that does not exist; only using it is an error. */
export class Undefined {
  readonly name: string;
  /** Its printed form. */
  readonly text: string;

  constructor(name: string, text = MISSING_PREFIX + name) {
    this.name = name;
    this.text = text;
  }
}

/** The variable `loop` of a for block. */
export class Loop {
  readonly length: number;
  /** Counts from 0. */
  position = 0;

  constructor(length: number) {
    this.length = length;
  }
}

/** Positional and named arguments of a call. */
export interface CallArgs {
  positional: Value[];
  named: Map<string, Value>;
}

/** A value breaks a rule of Python; becomes a `TemplateError` at the place of the expression. */
export class ValueError extends ExpectedError {}

/** cloud-init prints this in front of an undefined name (`MISSING_JINJA_PREFIX`). */
export const MISSING_PREFIX = 'CI_MISSING_JINJA_VAR/';

/** Python's truth of a value. */
export function truth(value: Value): boolean {
  if (value instanceof Sequence) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Undefined) return false;
  if (value instanceof Loop) return true;
  return value !== null && value !== false && value !== 0n && value !== 0 && value !== '';
}

export function isNumeric(value: Value): value is boolean | bigint | number {
  return typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number';
}

function canBeKey(value: Value): boolean {
  if (value instanceof Sequence) return value.kind === 'tuple' && value.items.every(canBeKey);
  return !(value instanceof Dict || value instanceof Undefined || value instanceof Loop);
}

/** The same text for values that are one key of a Python dict. */
function identity(value: Value): string {
  if (value instanceof Sequence && canBeKey(value)) {
    return `(${value.items.map((item) => JSON.stringify(identity(item))).join()})`;
  }
  if (!canBeKey(value)) throw new ValueError(`${typeName(value)} cannot be a key.`);
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return `n${Number(value)}`;
  return `n${typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value}`;
}

/** The type's name, for messages. */
export function typeName(value: Value): string {
  if (value === null) return 'None';
  if (value instanceof Undefined) return 'an undefined value';
  if (value instanceof Sequence) return `a ${value.kind}`;
  if (value instanceof Dict) return 'a mapping';
  if (value instanceof Loop) return 'the variable loop';
  const names: Record<string, string> = {
    boolean: 'a boolean',
    bigint: 'a whole number',
    number: 'a number',
    string: 'a string',
  };
  return names[typeof value] ?? 'a value';
}

function extentOf(items: readonly Value[]): Extent {
  let [count, depth, chars] = [1, 0, 0];
  for (const item of items) {
    const inner = extent(item);
    count += inner.count;
    depth = Math.max(depth, inner.depth + 1);
    chars += inner.chars;
  }
  return { count, depth, chars };
}

/** What visiting a value costs. */
export function extent(value: Value): Extent {
  if (value instanceof Sequence || value instanceof Dict) return value.extent;
  return { count: 1, depth: 0, chars: typeof value === 'string' ? value.length : 0 };
}

/** @throws ValueError for lists and mappings that are too large or, because visiting recurses, too deep */
export function bounded<T extends Value>(value: T): T {
  if (!(value instanceof Sequence || value instanceof Dict)) return value;
  const { count, depth, chars } = value.extent;
  if (count <= MAX_COUNT && depth <= MAX_DEPTH && chars <= MAX_JINJA_OUTPUT) return value;
  throw new ValueError('The list or mapping is nested too deeply, or too large.');
}

/** Call it for every operation that jinja refuses on undefined values. @throws ValueError */
export function defined<T extends Value>(value: T): Exclude<T, Undefined> {
  if (value instanceof Undefined) throw new ValueError(`"${value.name.slice(0, 80)}" is not defined.`);
  return value as Exclude<T, Undefined>;
}
