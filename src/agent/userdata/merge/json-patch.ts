import { ExpectedError } from '../../../kit/errors.ts';
import type { Position } from '../../document/document.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { isJson } from '../../text/own-document.ts';
import type { SourceText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { plainValue } from '../../text/yaml/plain-value.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../text/yaml/yaml-node.ts';
import type { SizeMeter } from './size-meter.ts';

/** One operation of RFC 6902; `path` and `from` are the keys that a JSON pointer names. */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string[];
  from?: string[];
  value?: YamlNode;
  where: Position;
}

/** A patch that cannot be made; the message says what it does. */
export class PatchError extends ExpectedError {
  override readonly name = 'PatchError';
}

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

/** Reads the list behind `#cloud-config-jsonp`; what is wrong goes to `diagnostics`. */
export function readJsonPatch(source: SourceText, diagnostics: Diagnostics): PatchOperation[] {
  const start = /^\s*#cloud-config-jsonp/i.exec(source.text)?.[0].length ?? 0;
  const body = source.text.slice(start);
  const text: SourceText = {
    ...source,
    text: body,
    locate: (offset) => source.locate(offset + start),
  };
  if (!isJson(body)) {
    diagnostics.error('UserDataSyntax', 'The content after #cloud-config-jsonp is not JSON.', text.locate(0));
    return [];
  }
  // JSON is YAML, and the reader of YAML knows places.
  const root = parseYaml(text, diagnostics);
  const items = root?.kind === 'mapping' ? [root] : root?.kind === 'sequence' ? root.items : undefined;
  if (items === undefined) {
    const message = 'A cloud-config-jsonp must be a list of operations (RFC 6902).';
    diagnostics.error('UserDataInvalid', message, root?.where ?? text.locate(0));
    return [];
  }
  return items.flatMap((item) => {
    const operation = item.kind === 'mapping' ? readOperation(item) : undefined;
    if (operation === undefined)
      diagnostics.error(
        'UserDataInvalid',
        'An operation needs op (add, remove, replace, move, copy or test), path, and value or from if its op does.',
        item.where,
      );
    return operation ?? [];
  });
}

function readOperation(item: MappingNode): PatchOperation | undefined {
  const get = (name: string) => valueAt(item, name);
  const [named, path, from, value] = [get('op'), pointer(get('path')), pointer(get('from')), get('value')];
  const op = OPERATIONS.find((known) => named?.kind === 'string' && named.value === known);
  if (op === undefined || path === undefined) return undefined;
  if (['move', 'copy'].includes(op) && from === undefined) return undefined;
  if (['add', 'replace', 'test'].includes(op) && value === undefined) return undefined;
  return { op, path, ...(from && { from }), ...(value && { value }), where: item.where };
}

/** The keys of a JSON pointer (RFC 6901). */
function pointer(node: YamlNode | undefined): string[] | undefined {
  if (node?.kind !== 'string') return undefined;
  if (node.value === '') return [];
  if (!node.value.startsWith('/') || /~(?![01])/.test(node.value)) return undefined;
  return node.value
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The mapping with all operations applied in order.
 *
 * @throws PatchError where one of them cannot be; MergeTooLarge
 */
export function applyPatch(
  root: MappingNode,
  operations: readonly PatchOperation[],
  extents: SizeMeter,
): MappingNode {
  let document: YamlNode = root;
  for (const { op, path, from = [], value } of operations) {
    const moved = op === 'move' || op === 'copy' ? at(document, from) : value;
    if (op === 'move' && path.length > from.length && from.every((key, index) => path[index] === key))
      throw new PatchError('would move something into itself');
    if (op === 'test') {
      if (moved === undefined || !same(at(document, path), moved)) throw new PatchError('fails a test');
      continue;
    }
    if (op === 'remove' || op === 'move') document = changed(document, op === 'move' ? from : path, 'remove');
    if (op !== 'remove' && moved !== undefined)
      document = changed(document, path, op === 'replace' ? 'replace' : 'add', moved);
    extents.bound(document);
  }
  if (document.kind !== 'mapping') throw new PatchError('does not leave a mapping');
  return document;
}

function at(node: YamlNode, path: readonly string[]): YamlNode {
  let here = node;
  for (const key of path) {
    const next =
      here.kind === 'sequence' ? here.items[indexIn(here.items.length - 1, key)] : valueAt(here, key);
    if (next === undefined) throw new PatchError('names a path that does not exist');
    here = next;
  }
  return here;
}

function changed(
  node: YamlNode,
  path: readonly string[],
  how: 'add' | 'replace' | 'remove',
  value?: YamlNode,
): YamlNode {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (value === undefined) throw new PatchError('would remove the whole document');
    return value;
  }
  if (node.kind === 'sequence') {
    const items = [...node.items];
    const isLast = rest.length === 0;
    const index =
      isLast && how === 'add' && key === '-'
        ? items.length
        : indexIn(items.length - (isLast && how === 'add' ? 0 : 1), key);
    if (!isLast) items[index] = changed(at(node, [key]), rest, how, value);
    else items.splice(index, how === 'add' ? 0 : 1, ...(value === undefined ? [] : [value]));
    return { ...node, items };
  }
  if (node.kind !== 'mapping') throw new PatchError('names a path that does not exist');
  const index = node.entries.findIndex((entry) => pythonText(entry.key) === key);
  if (index === -1 && (how !== 'add' || rest.length > 0))
    throw new PatchError('names a path that does not exist');
  const entries = [...node.entries];
  const present = entries[index];
  if (rest.length === 0 && value === undefined) entries.splice(index, 1);
  else {
    const inner = rest.length === 0 ? value : present && changed(present.value, rest, how, value);
    const where = present?.key ?? { kind: 'string' as const, value: key, where: value?.where ?? node.where };
    if (inner !== undefined)
      entries.splice(index === -1 ? entries.length : index, 1, { key: where, value: inner });
  }
  return { ...node, entries };
}

/** @param most The highest index that there may be. */
function indexIn(most: number, key: string): number {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(key) ? Number(key) : Number.POSITIVE_INFINITY;
  if (index > most) throw new PatchError('names a path that does not exist');
  return index;
}

const same = (one: YamlNode, other: YamlNode): boolean =>
  JSON.stringify(ordered(plainValue(one))) === JSON.stringify(ordered(plainValue(other)));

function ordered(value: unknown): unknown {
  if (typeof value === 'bigint') return `int ${value}`;
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}
