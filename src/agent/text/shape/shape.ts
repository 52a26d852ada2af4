import { omitUndefined } from '../../../kit/json.ts';

/** What a value of a YAML document may look like. A shape says nothing of what the value does. */
export type Shape =
  | { kind: 'text'; only?: readonly string[]; like?: RegExp; words?: string }
  | { kind: 'whole'; min?: number; max?: number }
  | { kind: 'bool'; only?: boolean }
  | { kind: 'nothing' }
  | { kind: 'anything' }
  | { kind: 'list'; items: Shape; min: number; max?: number; unique: boolean }
  | {
      kind: 'map';
      keys: Readonly<Record<string, Shape>>;
      required: readonly string[];
      min: number;
      rest?: Shape;
    }
  | { kind: 'table'; values: Shape; like?: RegExp; words?: string }
  | { kind: 'either'; of: readonly Shape[] }
  /** Understood still, but another spelling took its place. */
  | { kind: 'old'; now: string };

export const text: Shape = { kind: 'text' };
export const bool: Shape = { kind: 'bool' };
export const nothing: Shape = { kind: 'nothing' };
export const anything: Shape = { kind: 'anything' };
export const no: Shape = { kind: 'bool', only: false };

export function wholeNumber(min?: number, max?: number): Shape {
  return { kind: 'whole', ...omitUndefined({ min, max }) };
}

export function oneOf(...only: string[]): Shape {
  return { kind: 'text', only };
}

/** A text of a form; `words` name the form for people. */
export function like(form: RegExp, words: string): Shape {
  return { kind: 'text', like: form, words };
}

export function list(items: Shape, how: { min?: number; max?: number; unique?: boolean } = {}): Shape {
  const { min = 0, max, unique = false } = how;
  return { kind: 'list', items, min, ...(max === undefined ? {} : { max }), unique };
}

/** A mapping of these keys and no others. */
export function map(keys: Record<string, Shape>, required: readonly string[] = [], min = 0): Shape {
  return { kind: 'map', keys, required, min };
}

/** A mapping of these keys, and of others with values of a shape. */
export function open(keys: Record<string, Shape>, rest: Shape, required: readonly string[] = []): Shape {
  return { kind: 'map', keys, required, min: 1, rest };
}

/** A mapping that may hold, beside these keys, whatever else. */
export function loose(keys: Record<string, Shape>): Shape {
  return { kind: 'map', keys, required: [], min: 0, rest: anything };
}

/** A mapping whose keys the author chooses. */
export function table(values: Shape, form?: RegExp, words?: string): Shape {
  return {
    kind: 'table',
    values,
    ...omitUndefined({ like: form, words }),
  };
}

export function either(...of: Shape[]): Shape {
  return { kind: 'either', of };
}

export function deprecated(now: string): Shape {
  return { kind: 'old', now };
}
