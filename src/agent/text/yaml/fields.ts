import type { Position } from '../../document/document.ts';
import { type Diagnostics, printable } from '../diagnostics.ts';
import { nearest } from '../nearest.ts';
import { describe, type MappingNode, pythonText, type YamlNode } from './yaml-node.ts';

/**
 * Reads the fields of one cloud-config mapping by type. A wrong type is an error at its place. Null counts as
 * absent (as in Python's `dict.get(...)` with a truth test). `finish` warns of every field that nobody has
 * read.
 */
export class Fields {
  readonly where: Position;
  readonly #what: string;
  readonly #diagnostics: Diagnostics;
  readonly #nodes = new Map<string, { value: YamlNode; where: Position }>();
  readonly #asked = new Set<string>();

  /** `what` is the mapping's name in messages, such as `write_files`. `rename` maps keys, e.g. `-` to `_`. */
  constructor(
    map: MappingNode,
    what: string,
    diagnostics: Diagnostics,
    rename: (key: string) => string = (key) => key,
  ) {
    this.where = map.where;
    this.#what = what;
    this.#diagnostics = diagnostics;
    for (const { key, value } of map.entries) {
      this.#nodes.set(rename(pythonText(key) ?? ''), { value, where: key.where });
    }
  }

  /** The node of a field; undefined if the field is missing or null. */
  node(name: string): YamlNode | undefined {
    this.#asked.add(name);
    const value = this.#nodes.get(name)?.value;
    return value === undefined || value.kind === 'null' ? undefined : value;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  /** The names of all fields, for mappings whose keys the user chooses. */
  names(): string[] {
    return [...this.#nodes.keys()];
  }

  /** A string; a number, boolean or date is an error. */
  text(name: string): string | undefined {
    const node = this.node(name);
    if (node === undefined || node.kind === 'string') return node?.value;
    this.expected(name, node, 'a string (put it in quotes)');
    return undefined;
  }

  /** A string, or a scalar as the string that Python's `str()` makes of it for cloud-init. */
  looseText(name: string): string | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    const text = pythonText(node);
    if (text === undefined) this.expected(name, node, 'a string');
    return text;
  }

  /** A boolean, or a string or number that cloud-init's `translate_bool` accepts. */
  bool(name: string, otherwise: boolean): boolean {
    const node = this.node(name);
    if (node === undefined) return otherwise;
    const text = pythonText(node);
    if (node.kind === 'bool') return node.value;
    if (text !== undefined && /^\s*(?:true|1|on|yes)\s*$/i.test(text)) return true;
    if (text !== undefined && /^\s*(?:false|0|off|no|)\s*$/i.test(text)) return false;
    this.expected(name, node, 'true or false');
    return otherwise;
  }

  /** A list; undefined if it is missing or has another type (an error). */
  list(name: string): YamlNode[] | undefined {
    const node = this.node(name);
    if (node === undefined || node.kind === 'sequence') return node?.items;
    this.expected(name, node, 'a list');
    return undefined;
  }

  /** A list of strings (scalars become strings). With `single`, a single string counts as a list of one. */
  texts(name: string, single = false): string[] {
    const node = this.node(name);
    if (single && node?.kind === 'string') return [node.value];
    return (this.list(name) ?? []).flatMap((item) => this.textOf(name, item));
  }

  /** An item of a list of strings; none after an error. */
  textOf(name: string, item: YamlNode): string[] {
    const text = item.kind === 'null' ? undefined : pythonText(item);
    if (text === undefined) this.expected(name, item, 'a list of strings');
    return text === undefined ? [] : [text];
  }

  /** Reports that a field does not meet the expectation. */
  expected(name: string, node: YamlNode, expectation: string): void {
    this.#diagnostics.error(
      'UserDataInvalid',
      `${this.#what}: ${name} must be ${expectation}, not ${describe(node)}.`,
      node.where,
    );
  }

  /** Reports an error about a field: at its key, or at the mapping if the key is missing. */
  wrong(name: string, message: string): void {
    const where = this.#nodes.get(name)?.value.where ?? this.where;
    this.#diagnostics.error('UserDataInvalid', `${this.#what}: ${message}`, where);
  }

  /** Reports an error at a place of its own. */
  wrongAt(where: Position, message: string): void {
    this.#diagnostics.error('UserDataInvalid', `${this.#what}: ${message}`, where);
  }

  warn(name: string, message: string): void {
    const where = this.#nodes.get(name)?.where ?? this.where;
    this.#diagnostics.warn('UserDataIgnoredKey', `${this.#what}: ${message}`, where);
  }

  /** Reports every unread field as an error; for Slipway's own keys, where an unknown one is a mistake. */
  refuseUnknown(): void {
    for (const [name, { where }] of this.#nodes) {
      if (this.#diagnostics.isFull('error')) return;
      if (!this.#asked.has(name))
        this.wrongAt(where, `${printable(name)} ${unknownKeyMessage(name, this.#asked)}.`);
    }
  }

  /** Warns of every field that nobody has read. `known` explains those that cloud-init has and we lack. */
  finish(known: Readonly<Record<string, string>> = {}): void {
    for (const [name, { where }] of this.#nodes) {
      if (this.#asked.has(name)) continue;
      if (this.#diagnostics.isFull('warning')) return;
      const why = known[name] ?? unknownKeyMessage(name, this.#asked);
      this.#diagnostics.warn(
        'UserDataIgnoredKey',
        `${this.#what}: ${printable(name)} ${why}; it is ignored.`,
        where,
      );
    }
  }
}

/** That a key is not known, with the one of `known` that was probably meant. */
export function unknownKeyMessage(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? 'is not known' : `is not known (was ${meant} meant?)`;
}

/** The mappings in a list; other items are errors. A missing or null list is empty. */
export function mappings(node: YamlNode, what: string, diagnostics: Diagnostics): MappingNode[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'sequence') {
    diagnostics.error('UserDataInvalid', `${what} must be a list, not ${describe(node)}.`, node.where);
    return [];
  }
  return node.items.flatMap((item) => {
    if (item.kind === 'mapping') return [item];
    diagnostics.error(
      'UserDataInvalid',
      `${what}: every item must be a mapping, not ${describe(item)}.`,
      item.where,
    );
    return [];
  });
}
