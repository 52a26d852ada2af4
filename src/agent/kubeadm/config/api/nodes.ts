/** Looking at a parsed YAML document: what a node stands for, where it is, and its plain value. */
import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { ConfigDocument } from '../yaml/config-documents.ts';

/** How deep the documents are followed; kubeadm's own are six deep, aliases can make them endless. */
const MAX_DEPTH = 50;

/** The node itself, or the one that an alias stands for. */
export function resolved(document: ConfigDocument, node: unknown): unknown {
  return isAlias(node) ? document.targets.get(node) : node;
}

export function isNothing(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

/**
 * A mapping's pairs with their keys as text, those of merged mappings (`<<`) too, where no own key stands
 * before them.
 */
export function pairsOf(document: ConfigDocument, map: YAMLMap, depth = 0): { key: string; pair: Pair }[] {
  const own: { key: string; pair: Pair }[] = [];
  const merged: { key: string; pair: Pair }[] = [];
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : '';
    if (key !== '<<') own.push({ key, pair });
    else if (depth < MAX_DEPTH) {
      const value = resolved(document, pair.value);
      for (const part of isSeq(value) ? value.items : [value]) {
        const target = resolved(document, part);
        if (isMap(target)) merged.push(...pairsOf(document, target as YAMLMap, depth + 1));
      }
    }
  }
  return [...own, ...merged.filter(({ key }) => !own.some((other) => other.key === key))];
}

/** Offset of the node in the file; that of `otherwise` where it has none. */
export function offsetOf(node: unknown, otherwise?: unknown): number {
  for (const candidate of [node, otherwise]) {
    const range = (candidate as { range?: [number, number, number] | null } | undefined)?.range;
    if (range) return range[0];
  }
  return 0;
}

/** Place of the deepest part of `path` that is there. */
export function placeOf(
  document: ConfigDocument,
  path: readonly (string | number)[],
): { line: number; column: number } {
  let node: unknown = document.map;
  let offset = offsetOf(node);
  for (const step of path) {
    const here = resolved(document, node);
    if (isMap(here)) {
      const found = pairsOf(document, here as YAMLMap).find(({ key }) => key === step);
      if (found === undefined) break;
      offset = offsetOf(found.pair.key, found.pair.value);
      node = found.pair.value;
    } else if (isSeq(here) && typeof step === 'number') {
      node = here.items[step];
      if (node === undefined) break;
      offset = offsetOf(node);
    } else break;
  }
  return document.place(offset);
}

/**
 * A plain scalar as kubeadm's reader (go-yaml) has it. It knows no numbers in base 60 and no times where a
 * text is wanted, so those stay as they are written.
 */
export function scalarValue(node: Scalar): unknown {
  const { value, source } = node;
  const odd = value instanceof Date || (typeof value === 'number' && source?.includes(':') === true);
  if (odd && source !== undefined) return source;
  return typeof value === 'bigint' ? Number(value) : value;
}

/** The plain value of a node: objects, lists and scalars; aliases and merges are followed. */
export function plain(document: ConfigDocument, node: unknown, depth = 0): unknown {
  const here = resolved(document, node);
  if (depth > MAX_DEPTH) return null;
  if (isMap(here)) {
    const entries = pairsOf(document, here as YAMLMap).map(({ key, pair }): [string, unknown] => [
      key,
      plain(document, pair.value, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
  if (isSeq(here)) return here.items.map((item) => plain(document, item, depth + 1));
  return isScalar(here) ? scalarValue(here) : null;
}
