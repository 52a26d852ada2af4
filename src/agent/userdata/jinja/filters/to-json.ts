import { pythonFloat } from '../../../text/yaml/yaml-node.ts';
import { orderText } from '../values/compare.ts';
import { str } from '../values/text.ts';
import { bounded, Dict, Sequence, typeName, type Value, ValueError } from '../values/values.ts';

/**
 * Jinja2's `tojson`: Python's `json.dumps` with sorted keys and ASCII only. `<`, `>`, `&` and `'` become
 * escapes, so that HTML can hold the result. Without `indent`, the result is one line.
 */
export function toJson(value: Value, indent: number | undefined): string {
  return dump(bounded(value), indent, 0).replace(/[<>&']/g, (character) => escapeUnit(character));
}

function dump(value: Value, indent: number | undefined, depth: number): string {
  const inner = (each: Value): string => dump(each, indent, depth + 1);
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return str(value);
  if (typeof value === 'number') return Number.isFinite(value) ? pythonFloat(value) : notFinite(value);
  if (typeof value === 'string') return text(value);
  if (value instanceof Sequence && (value.kind === 'list' || value.kind === 'tuple'))
    return enclose('[', value.items.map(inner), ']', indent, depth);
  if (value instanceof Dict) {
    const pairs = value.pairs.map(([key, item]) => [keyText(key), item] as const);
    const sorted = pairs.sort(([a], [b]) => orderText(a, b));
    return enclose(
      '{',
      sorted.map(([key, item]) => `${text(key)}: ${inner(item)}`),
      '}',
      indent,
      depth,
    );
  }
  throw new ValueError(`${typeName(value)} cannot be written as JSON.`);
}

/** A mapping's key; Python sorts only keys of one type. */
function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  throw new ValueError('tojson needs a mapping whose keys are strings.');
}

function notFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function enclose(
  open: string,
  items: string[],
  close: string,
  indent: number | undefined,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return `${open}${items.join(', ')}${close}`;
  const pad = ' '.repeat(indent * (depth + 1));
  return `${open}\n${items.map((item) => pad + item).join(',\n')}\n${' '.repeat(indent * depth)}${close}`;
}

function text(value: string): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => escapeUnit(character));
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
