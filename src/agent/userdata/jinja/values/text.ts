import { pythonFloat } from '../../../text/yaml/yaml-node.ts';
import { bounded, Dict, Loop, Sequence, Undefined, type Value, ValueError } from './values.ts';

/** Python's `str()`. @throws ValueError for values whose printed form makes no sense in user data */
export function str(value: Value): string {
  if (typeof value === 'string') return value;
  return value instanceof Undefined ? value.text : repr(bounded(value));
}

/** Python's `repr()`. */
function repr(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return digits(value);
  if (typeof value === 'number') return pythonFloat(value);
  if (typeof value === 'string') return quote(value);
  if (value instanceof Sequence) return sequence(value);
  if (value instanceof Dict) return `{${value.pairs.map(([k, v]) => `${repr(k)}: ${repr(v)}`).join(', ')}}`;
  if (value instanceof Loop) throw new ValueError('Slipway cannot print loop; loop.index can be printed.');
  return 'Undefined';
}

function sequence({ kind, items }: Sequence): string {
  if (kind === 'range' || kind === 'view') {
    throw new ValueError(`Slipway cannot print a ${kind}; write "| list" after it.`);
  }
  const inner = items.map(repr).join(', ');
  return kind === 'list' ? `[${inner}]` : `(${inner}${items.length === 1 ? ',' : ''})`;
}

/** Python refuses to print integers of more than 4300 digits. */
function digits(value: bigint): string {
  const text = value.toString();
  if (text.length > 4300) throw new ValueError('The number is too long to be printed.');
  return text;
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\n\r\t'"]|[\p{C}\p{Z}]/gu, (character) => {
    if (character === '\\' || character === mark) return `\\${character}`;
    if (character === "'" || character === '"' || character === ' ') return character;
    const simple = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return simple ?? hexEscape(character.codePointAt(0) ?? 0);
  });
  return mark + escaped + mark;
}

function hexEscape(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The characters (code points) of a string, as Python counts them. */
export function characters(text: string): string[] {
  return Array.from(text);
}
