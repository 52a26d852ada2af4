import type { Position } from '../../../document/document.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import type { SourceText } from '../../../text/source-text.ts';
import { describeJson, type JsonNode } from '../json/parse.ts';
import type { Shape, Struct, Value } from './shape.ts';

/** What a config is read with. */
interface Reading {
  source: SourceText;
  /** Minor version of the spec: keys of later ones are not known. */
  minor: number;
  /** `2.3.0`, for people. */
  version: string;
  places: Places;
  report: Diagnostics;
}

/**
 * Reads JSON by a shape as Go's encoding/json does: null counts as nothing, a key's case does not matter, of
 * duplicate keys the last counts and objects are laid over each other. Unknown keys are warnings, values of a
 * wrong type errors.
 */
export function bind<Of extends Shape>(node: JsonNode, shape: Of, path: string, reading: Reading): Value<Of> {
  return read(node, shape, path, reading, undefined) as Value<Of>;
}

function read(node: JsonNode, shape: Shape, path: string, reading: Reading, before: unknown): unknown {
  if (node.kind === 'null') return before ?? (path === '$' ? {} : undefined);
  const at = reading.source.locate(node.start);
  const mismatch = (wanted: string): undefined => {
    reading.report.error('UserDataInvalid', `${path} must be ${wanted}, not ${describeJson(node)}.`, at);
  };
  switch (shape.kind) {
    case 'string':
      return node.kind === 'string' ? node.value : mismatch('a string');
    case 'boolean':
      return node.kind === 'boolean' ? node.value : mismatch('true or false');
    case 'integer':
      return node.kind === 'number' && isInteger(node.text) ? Number(node.text) : mismatch('a whole number');
    case 'list': {
      if (node.kind !== 'array') return mismatch('a list');
      const items: unknown[] = [];
      const children = reading.places.note(items, path, at, reading.source);
      node.items.forEach((item, index) => {
        children.set(String(index), reading.source.locate(item.start));
        items.push(read(item, shape.item, `${path}.${index}`, reading, undefined) ?? zero(shape.item));
      });
      return items;
    }
    case 'struct': {
      if (node.kind !== 'object') return mismatch('an object');
      const target = (before ?? {}) as Record<string, unknown>;
      readMembers(node.members, shape, path, reading, target, at);
      return target;
    }
  }
}

function readMembers(
  members: Extract<JsonNode, { kind: 'object' }>['members'],
  shape: Struct,
  path: string,
  reading: Reading,
  target: Record<string, unknown>,
  at: ReturnType<SourceText['locate']>,
): void {
  const { source, report: diagnostics } = reading;
  const children = reading.places.note(target, path, at, source);
  const seen = new Set<string>();
  for (const { key, keyStart, value } of members) {
    const name = fieldOf(shape, key, reading.minor);
    const place = `${path}.${printable(key)}`;
    const where = source.locate(keyStart);
    if (name === undefined) {
      diagnostics.warn(
        'UserDataIgnoredKey',
        `${place} is not a key of spec ${reading.version}; it is ignored.`,
        where,
      );
      continue;
    }
    if (name !== key) diagnostics.warn('UserDataIgnoredKey', `${place} is read as ${name}.`, where);
    if (seen.has(name))
      diagnostics.warn('UserDataIgnoredKey', `${place} is set twice; the last value is used.`, where);
    seen.add(name);
    const field = shape.fields[name];
    if (field === undefined) continue;
    const found = read(value, field.shape, `${path}.${name}`, reading, target[name]);
    if (found === undefined) continue;
    children.set(name, source.locate(value.start));
    target[name] = found;
  }
}

/** The field that a key names in this version: exactly, else whatever the letters' case. */
function fieldOf({ fields }: Struct, key: string, minor: number): string | undefined {
  const isKnown = (name: string) => (fields[name]?.since ?? Number.POSITIVE_INFINITY) <= minor;
  if (Object.hasOwn(fields, key)) return isKnown(key) ? key : undefined;
  const lower = key.toLowerCase();
  return Object.keys(fields).find((name) => name.toLowerCase() === lower && isKnown(name));
}

function isInteger(text: string): boolean {
  return /^-?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));
}

/** What Go makes of a null in a list. */
function zero({ kind }: Shape): unknown {
  return { string: '', integer: 0, boolean: false, list: [], struct: {} }[kind];
}

/** Where something stands: its JSON path, such as `$.storage.files.0.path`, and its line and column. */
interface Place {
  path: string;
  /** In the user data. */
  where?: Position;
  /** What its positions count in, where that is not simply the user data. */
  text: TextName;
}

type TextName = Pick<SourceText, 'note' | 'within'>;

interface Holder {
  path: string;
  where: Position;
  text: TextName;
  children: Map<string, Position>;
}

/** Remembers for each object and list of a config where it and its members stand. */
export class Places {
  readonly #holders = new WeakMap<object, Holder>();

  /** @param text the one in which positions count */
  note(value: object, path: string, where: Position, text: TextName): Map<string, Position> {
    const known = this.#holders.get(value);
    if (known) return known.children;
    const children = new Map<string, Position>();
    this.#holders.set(value, { path, where, text, children });
    return children;
  }

  /** Lets a value that was made of another one stand where that stands. */
  adopt(value: object, from: object): void {
    const holder = this.#holders.get(from);
    if (holder) this.#holders.set(value, holder);
  }

  /** The place of `value`, or of what lies in it behind `keys`; the deepest that is written down gives the line. */
  of(value: object, ...keys: (string | number)[]): Place {
    const holder = this.#holders.get(value);
    if (holder === undefined) return { path: ['$', ...keys].join('.'), text: {} };
    const path = [holder.path, ...keys].join('.');
    const [first] = keys;
    const where = (first === undefined ? undefined : holder.children.get(String(first))) ?? holder.where;
    return { path, where, text: holder.text };
  }
}
