import { pythonFloat } from '../../../text/yaml/node.ts';

/** A value of a template, with Python's distinctions: integers are bigint, floats are number. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | List
  | Tuple
  | Dict
  | Range
  | Undefined
  | Callable
  | Thing;

export class List {
  items: Value[];

  constructor(items: Value[]) {
    this.items = items;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  /** Names of the items, for named tuples such as the groups of `groupby`. */
  readonly names: readonly string[];

  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

/** A mapping; keys that are equal in Python are one key. */
export class Dict {
  readonly entries = new Map<string, [key: Value, value: Value]>();

  get(key: Value): Value | undefined {
    return this.entries.get(identity(key))?.[1];
  }

  set(key: Value, value: Value): this {
    const id = identity(key);
    this.entries.set(id, [this.entries.get(id)?.[0] ?? key, value]);
    return this;
  }

  delete(key: Value): Value | undefined {
    const value = this.get(key);
    this.entries.delete(identity(key));
    return value;
  }

  get pairs(): [Value, Value][] {
    return [...this.entries.values()];
  }
}

export class Range {
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;

  constructor(start: bigint, stop: bigint, step: bigint) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  get length(): number {
    const span = this.step > 0n ? this.stop - this.start : this.start - this.stop;
    const step = this.step > 0n ? this.step : -this.step;
    return span <= 0n ? 0 : Number((span + step - 1n) / step);
  }
}

/** A variable or member that does not exist; harmless until something is done with it. */
export class Undefined {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Positional and named arguments of a call. */
export interface CallArgs {
  positional: Value[];
  named: Map<string, Value>;
}

/** A function, macro or bound method. */
export class Callable {
  readonly name: string;
  readonly call: (args: CallArgs) => Value;

  constructor(name: string, call: (args: CallArgs) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** An object with members only: `loop`, `namespace()`, `cycler()`. */
export class Thing {
  readonly kind: string;
  readonly member: (name: string) => Value | undefined;
  readonly assign: ((name: string, value: Value) => void) | undefined;
  readonly call: ((args: CallArgs) => Value) | undefined;

  constructor(
    kind: string,
    member: (name: string) => Value | undefined,
    more: { assign?: (name: string, value: Value) => void; call?: (args: CallArgs) => Value } = {},
  ) {
    this.kind = kind;
    this.member = member;
    this.assign = more.assign;
    this.call = more.call;
  }
}

/** A rule of Python was broken; becomes a `TemplateError` at the place of the expression. */
export class ValueError extends Error {}

/** cloud-init's stand-in for what is not defined (`MISSING_JINJA_PREFIX`). */
export const MISSING_PREFIX = 'CI_MISSING_JINJA_VAR/';

/** Python's `str()`. */
export function str(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return MISSING_PREFIX + value.name;
  return repr(value);
}

/** Python's `repr()`. */
export function repr(value: Value, depth = 0): string {
  if (depth > 50) throw new ValueError('A list or mapping is nested too deeply, or in itself.');
  const inner = (each: Value): string => repr(each, depth + 1);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return pythonFloat(value);
  if (typeof value === 'string') return quote(value);
  if (value instanceof List) return `[${value.items.map(inner).join(', ')}]`;
  if (value instanceof Tuple)
    return `(${value.items.map(inner).join(', ')}${value.items.length === 1 ? ',' : ''})`;
  if (value instanceof Dict) return `{${value.pairs.map(([k, v]) => `${inner(k)}: ${inner(v)}`).join(', ')}}`;
  if (value instanceof Range) {
    return `range(${value.start}, ${value.stop}${value.step === 1n ? '' : `, ${value.step}`})`;
  }
  if (value instanceof Undefined) return 'Undefined';
  return value instanceof Callable ? `<function ${value.name}>` : `<${value.kind}>`;
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\n\r\t'"]|[\p{C}\p{Z}]/gu, (character) => {
    if (character === '\\' || character === mark) return `\\${character}`;
    if (character === "'" || character === '"' || character === ' ') return character;
    const simple = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return simple ?? hexEscape(character.codePointAt(0) ?? 0);
  });
  return mark + escaped + mark;
}

function hexEscape(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Python's truth of a value. */
export function truth(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string') return value !== '';
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  return value instanceof Range ? value.length > 0 : true;
}

/** A text that is the same for values that are one key of a Python dict. */
export function identity(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return `n${value ? 1 : 0}`;
  if (typeof value === 'bigint') return `n${value}`;
  if (typeof value === 'number') return `n${Number.isInteger(value) ? BigInt(value) : value}`;
  if (value instanceof Tuple) return `(${value.items.map((item) => JSON.stringify(identity(item))).join()})`;
  throw new ValueError(`${typeName(value)} cannot be a key.`);
}

/** The type's name, for messages. */
export function typeName(value: Value): string {
  if (value === null) return 'None';
  if (value instanceof Undefined) return 'an undefined value';
  if (value instanceof List) return 'a list';
  if (value instanceof Tuple) return 'a tuple';
  if (value instanceof Dict) return 'a mapping';
  if (value instanceof Range) return 'a range';
  if (value instanceof Callable) return 'a function';
  if (value instanceof Thing) return 'an object';
  const names: Record<string, string> = {
    boolean: 'a boolean',
    bigint: 'a whole number',
    number: 'a number',
    string: 'a string',
  };
  return names[typeof value] ?? 'a value';
}

/** Throws when the value is undefined; every operation that jinja refuses on undefined values calls this. */
export function defined<T extends Value>(value: T): Exclude<T, Undefined> {
  if (value instanceof Undefined) throw new ValueError(`"${value.name.slice(0, 80)}" is not defined.`);
  return value as Exclude<T, Undefined>;
}

/** The characters (code points) of a string. */
export function characters(text: string): string[] {
  return Array.from(text);
}
