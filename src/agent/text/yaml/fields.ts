import type { Position } from '../../document/document.ts';
import { printable, type Report } from '../report.ts';
import { describe, type MappingNode, type Node, pythonText } from './node.ts';

/**
 * The fields of one mapping of cloud-config, read by type. What has the wrong type is an error at its place; what is
 * null counts as not given (as with Python's `dict.get(...)` followed by a truth test); what nobody has asked for by
 * the time `finish` is called is a warning.
 */
export class Fields {
  readonly where: Position;
  readonly #what: string;
  readonly #report: Report;
  readonly #nodes = new Map<string, { value: Node; where: Position }>();
  readonly #asked = new Set<string>();

  /** `what` names the mapping in messages, such as `write_files`. `rename` maps the keys, e.g. `-` to `_`. */
  constructor(
    map: MappingNode,
    what: string,
    report: Report,
    rename: (key: string) => string = (key) => key,
  ) {
    this.where = map.where;
    this.#what = what;
    this.#report = report;
    for (const { key, value } of map.entries) {
      this.#nodes.set(rename(pythonText(key) ?? ''), { value, where: key.where });
    }
  }

  /** The node of a field; undefined when the field is missing or null. */
  node(name: string): Node | undefined {
    this.#asked.add(name);
    const value = this.#nodes.get(name)?.value;
    return value === undefined || value.kind === 'null' ? undefined : value;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  /** The names of all fields, for mappings whose keys are the user's own. */
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

  /** A string, or a scalar that cloud-init turns into one with Python's `str()`. */
  looseText(name: string): string | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    const text = pythonText(node);
    if (text === undefined) this.expected(name, node, 'a string');
    return text;
  }

  /** A boolean, or one of the strings and numbers that cloud-init's `translate_bool` takes for one. */
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

  /** A list; undefined when missing or (after an error) of another type. */
  list(name: string): Node[] | undefined {
    const node = this.node(name);
    if (node === undefined || node.kind === 'sequence') return node?.items;
    this.expected(name, node, 'a list');
    return undefined;
  }

  /** A list of strings (scalars become strings); a single string counts as a list of one where `single` says so. */
  texts(name: string, single = false): string[] {
    const node = this.node(name);
    if (single && node?.kind === 'string') return [node.value];
    return (this.list(name) ?? []).flatMap((item) => {
      const text = item.kind === 'null' ? undefined : pythonText(item);
      if (text === undefined) this.expected(name, item, 'a list of strings');
      return text === undefined ? [] : [text];
    });
  }

  /** Reports that a field is not what it must be. */
  expected(name: string, node: Node, expectation: string): void {
    this.#report.error(
      'UserDataInvalid',
      `${this.#what}: ${name} must be ${expectation}, not ${describe(node)}.`,
      node.where,
    );
  }

  /** Reports an error about a field, at its key, or at the mapping when it is not there. */
  wrong(name: string, message: string): void {
    const where = this.#nodes.get(name)?.value.where ?? this.where;
    this.#report.error('UserDataInvalid', `${this.#what}: ${message}`, where);
  }

  /** Reports an error at a place of its own. */
  wrongAt(where: Position, message: string): void {
    this.#report.error('UserDataInvalid', `${this.#what}: ${message}`, where);
  }

  warn(name: string, message: string): void {
    const where = this.#nodes.get(name)?.where ?? this.where;
    this.#report.warn('UserDataIgnoredKey', `${this.#what}: ${message}`, where);
  }

  /** The same for keys that are Slipway's own: one that is not known is a mistake, and an error. */
  refuseUnknown(): void {
    for (const [name, { where }] of this.#nodes) {
      if (!this.#asked.has(name)) this.wrongAt(where, `${printable(name)} is not known.`);
    }
  }

  /** Warns of every field that was not asked for. `known` explains those that cloud-init has and Slipway has not. */
  finish(known: Readonly<Record<string, string>> = {}): void {
    for (const [name, { where }] of this.#nodes) {
      if (this.#asked.has(name)) continue;
      const why = known[name] ?? 'is not known';
      this.#report.warn(
        'UserDataIgnoredKey',
        `${this.#what}: ${printable(name)} ${why}; it is ignored.`,
        where,
      );
    }
  }
}

/** The mappings of a list; other items are errors. A missing or null list is empty. */
export function mappings(node: Node, what: string, report: Report): MappingNode[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'sequence') {
    report.error('UserDataInvalid', `${what} must be a list, not ${describe(node)}.`, node.where);
    return [];
  }
  return node.items.flatMap((item) => {
    if (item.kind === 'mapping') return [item];
    report.error(
      'UserDataInvalid',
      `${what}: every item must be a mapping, not ${describe(item)}.`,
      item.where,
    );
    return [];
  });
}
