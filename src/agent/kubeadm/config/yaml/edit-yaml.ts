/** Small edits of YAML text that leave every other byte as it is, comments and styles included. */
import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import { readDocuments } from './config-documents.ts';

/**
 * Gives one of kubeadm's own documents the value at a path, where `wanted` says so of the text that is there
 * now (undefined: none). Sections that are missing on the way are made. Returns the text unchanged when there
 * is no such document, or when the place cannot be written to safely (an alias, a list).
 *
 * @param value As it is to stand in the file: a plain scalar, or quoted already.
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function putScalar(
  text: string,
  kind: string,
  path: readonly string[],
  value: string,
  wanted: (present: string | undefined) => boolean,
): string {
  const document = readDocuments(text, 'file').find((found) => found.own && found.kind === kind);
  let map = document?.map;
  for (const [depth, key] of path.entries()) {
    if (map === undefined) return text;
    const rest = path.slice(depth + 1);
    const nested = rest.reduceRight((inner, name) => `{${name}: ${inner}}`, value);
    const pair = findPair(map, key);
    if (pair === undefined) return wanted(undefined) ? insert(text, map, key, nested) : text;
    const present = pair.value;
    if (isMap(present)) {
      map = present as YAMLMap;
      continue;
    }
    const isNull = present === null || (isScalar(present) && present.value === null);
    if (isNull) return wanted(undefined) ? replaceNull(text, pair, nested) : text;
    if (!isScalar(present) || rest.length > 0 || !wanted(String(present.value))) return text;
    const [from, to] = present.range ?? [];
    return from === undefined || to === undefined ? text : `${text.slice(0, from)}${value}${text.slice(to)}`;
  }
  return text;
}

export function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Puts `key: value` in front of a mapping's first pair. */
export function insert(text: string, map: YAMLMap, key: string, value: string): string {
  const start = map.range?.[0];
  if (start === undefined) return text;
  if (map.flow === true) {
    const comma = map.items.length === 0 ? '' : ', ';
    return `${text.slice(0, start + 1)}${key}: ${value}${comma}${text.slice(start + 1)}`;
  }
  const first = map.items[0]?.key;
  const offset = isScalar(first) ? first.range?.[0] : undefined;
  // An anchor, a tag or an explicit key ("? ") in front of the first key: not worth a risk.
  if (offset === undefined || offset !== start) return text;
  const column = offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const lead = text.slice(offset - column, offset);
  if (lead.trim() !== '') return text;
  return `${text.slice(0, offset)}${key}: ${value}\n${lead}${text.slice(offset)}`;
}

/** `section:` without a value, or with an explicit null. */
export function replaceNull(text: string, pair: Pair, value: string): string {
  const node = pair.value;
  const key = pair.key;
  if (!isScalar(key)) return text;
  const from = isScalar(node) ? node.range?.[0] : undefined;
  const to = isScalar(node) ? node.range?.[1] : undefined;
  if (from !== undefined && to !== undefined && to > from)
    return `${text.slice(0, from)}${value}${text.slice(to)}`;
  const colon = text.indexOf(':', key.range?.[1] ?? 0);
  return colon < 0 ? text : `${text.slice(0, colon + 1)} ${value}${text.slice(colon + 1)}`;
}
