import { pythonFloat } from '../../../text/yaml/node.ts';
import { order } from './compare.ts';
import { Dict, List, Range, str, Tuple, typeName, type Value, ValueError } from './values.ts';

/**
 * Jinja2's `tojson`: Python's `json.dumps` with sorted keys, ASCII only, and `<`, `>`, `&`, `'` as escapes (so that
 * the result can stand in HTML). `indent` undefined means one line.
 */
export function toJson(value: Value, indent: number | undefined): string {
  return dump(value, indent, 0).replace(/[<>&']/g, (character) => escapeUnit(character));
}

function dump(value: Value, indent: number | undefined, depth: number): string {
  if (depth > 50) throw new ValueError('A list or mapping is nested too deeply, or in itself.');
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? pythonFloat(value) : notFinite(value);
  if (typeof value === 'string') return text(value);
  if (value instanceof List || value instanceof Tuple) {
    return enclose(
      '[',
      value.items.map((item) => dump(item, indent, depth + 1)),
      ']',
      indent,
      depth,
    );
  }
  if (value instanceof Dict) {
    const pairs = value.pairs.toSorted(([a], [b]) => order(a, b));
    const items = pairs.map(([key, item]) => `${text(keyText(key))}: ${dump(item, indent, depth + 1)}`);
    return enclose('{', items, '}', indent, depth);
  }
  if (value instanceof Range) throw new ValueError('A range cannot be written as JSON; use "| list" first.');
  throw new ValueError(`${typeName(value)} cannot be written as JSON.`);
}

function keyText(key: Value): string {
  if (key === null) return 'null';
  return typeof key === 'boolean' ? String(key) : str(key);
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
