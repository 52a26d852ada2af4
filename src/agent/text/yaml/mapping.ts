import type { Diagnostics } from '../diagnostics.ts';
import { printable } from '../diagnostics.ts';
import { describe, type MappingEntry, pythonText, type ScalarNode, type YamlNode } from './yaml-node.ts';

/** A key and its value as the text has them; `merge` marks the plain key `<<`. */
export interface RawEntry {
  key: YamlNode;
  value: YamlNode;
  merge: boolean;
}

interface Candidate {
  key: YamlNode;
  value: YamlNode;
  /** A merge key brought it in, so overriding it is no mistake. */
  merged: boolean;
}

/**
 * Puts the entries of merge keys (`<<: *base`) before a mapping's own entries, so that the own ones win.
 * Among several merged mappings the first wins (PyYAML's `flatten_mapping`).
 */
export function expandMerges(raw: readonly RawEntry[], diagnostics: Diagnostics): Candidate[] {
  const own = raw.filter((entry) => !entry.merge).map(({ key, value }) => ({ key, value, merged: false }));
  if (own.length === raw.length) return own;
  const merged = raw
    .filter((entry) => entry.merge)
    .flatMap((entry) => mergedEntries(entry.value, diagnostics));
  return [...merged, ...own];
}

function mergedEntries(value: YamlNode, diagnostics: Diagnostics): Candidate[] {
  if (value.kind === 'mapping') return value.entries.map((entry) => ({ ...entry, merged: true }));
  if (value.kind === 'sequence' && value.items.every((item) => item.kind === 'mapping')) {
    return value.items.toReversed().flatMap((item) => mergedEntries(item, diagnostics));
  }
  const message = `The merge key << needs a mapping or a list of mappings, not ${describe(value)}.`;
  diagnostics.error('UserDataSyntax', message, value.where);
  return [];
}

/** The entries of one mapping under construction. As in a Python dict, the last of equal keys wins. */
export class Entries {
  readonly #byKey = new Map<string, MappingEntry & { merged: boolean }>();
  readonly #diagnostics: Diagnostics;

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  set({ key, value, merged }: Candidate): void {
    if (key.kind === 'sequence' || key.kind === 'mapping') {
      const message = `A key cannot be ${describe(key)}; a value that begins with { or [ must be quoted.`;
      this.#diagnostics.error('UserDataSyntax', message, key.where);
      return;
    }
    const identity = keyIdentity(key);
    const earlier = this.#byKey.get(identity);
    if (earlier === undefined) {
      this.#byKey.set(identity, { key, value, merged });
      return;
    }
    if (!earlier.merged && !merged) this.#duplicate(key, earlier);
    // As in a Python dict, the first of equal keys (1, 1.0, true) remains the key.
    this.#byKey.set(identity, { key: { ...earlier.key, where: key.where }, value, merged });
  }

  list(): MappingEntry[] {
    return [...this.#byKey.values()].map(({ key, value }) => ({ key, value }));
  }

  #duplicate(key: ScalarNode, earlier: MappingEntry): void {
    const name = printable(pythonText(key) ?? '(binary)');
    const { line } = earlier.key.where;
    const message = `The key "${name}" is a duplicate; this value is used, not the one in line ${line}.`;
    this.#diagnostics.warn('UserDataIgnoredKey', message, key.where);
  }
}

/** The same for keys that Python's dict considers equal: 1, 1.0 and true are one key, "1" is another. */
function keyIdentity(key: ScalarNode): string {
  switch (key.kind) {
    case 'bool':
      return `n:${key.value ? 1 : 0}`;
    case 'int':
      return `n:${key.value}`;
    case 'float':
      return `n:${Number.isInteger(key.value) ? BigInt(key.value) : key.value}`;
    case 'null':
      return 'null';
    case 'binary':
      return `b:${Buffer.from(key.value).toString('hex')}`;
    default:
      return `${key.kind}:${key.value}`;
  }
}
