/**
 * The meaning of an unquoted or tagged scalar by the rules of YAML 1.1 as PyYAML implements them (in its
 * `resolver` and `constructor`): `yes` is a boolean but `y` is a string, `0640` is 416, `1:30` is 90, `1e3`
 * is a string.
 */

import { ExpectedError } from '../../../kit/errors.ts';
import { pythonBase64 } from '../python-base64.ts';
import type { ScalarNode } from './yaml-node.ts';

/** A scalar's value without its place. */
export type ScalarValue = ScalarNode extends infer S
  ? S extends ScalarNode
    ? Omit<S, 'where'>
    : never
  : never;

const BOOLS: ReadonlySet<string> = new Set(
  ['yes', 'no', 'true', 'false', 'on', 'off'].flatMap((word) => [
    word,
    word.toUpperCase(),
    `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
  ]),
);
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INT =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const TIMESTAMP =
  /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/;

/** Longer texts are no numbers; Python itself reads at most 4300 digits. */
const MAX_NUMBER = 4300;

/** The value of a plain (unquoted, untagged) scalar. @throws ScalarError */
export function resolvePlain(text: string): ScalarValue {
  if (text.length > MAX_NUMBER) return { kind: 'string', value: text };
  if (NULLS.has(text)) return { kind: 'null' };
  if (BOOLS.has(text)) return { kind: 'bool', value: truth(text) };
  // Most texts are words: none of the patterns is compiled for these.
  if (!mayBeNumber(text.charCodeAt(0))) return { kind: 'string', value: text };
  if (INT.test(text)) return { kind: 'int', value: integer(text), text };
  if (FLOAT.test(text)) return { kind: 'float', value: float(text) };
  if (TIMESTAMP.test(text)) return { kind: 'timestamp', value: timestampText(text) };
  return { kind: 'string', value: text };
}

/** A digit, or `+`, `-` or `.`, one of which each number, date and time begins with. */
function mayBeNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;
}

const PREFIX = 'tag:yaml.org,2002:';

/**
 * The value of a scalar with an explicit tag (`!!str`, `!!int` ...).
 *
 * @throws ScalarError for values that the tag does not allow and for tags that PyYAML's safe loader does not
 * know
 */
export function resolveTagged(text: string, tag: string): ScalarValue {
  switch (tag) {
    case '!':
    case `${PREFIX}str`:
      return { kind: 'string', value: text };
    case `${PREFIX}null`:
      return { kind: 'null' };
    case `${PREFIX}bool`:
      if (!BOOLS.has(text) && !BOOLS.has(text.toLowerCase()))
        throw new ScalarError('!!bool needs yes, no, true or false.');
      return { kind: 'bool', value: truth(text) };
    case `${PREFIX}int`:
      return { kind: 'int', value: taggedInteger(text), text };
    case `${PREFIX}float`:
      return { kind: 'float', value: taggedFloat(text) };
    case `${PREFIX}binary`:
      return { kind: 'binary', value: binary(text) };
    case `${PREFIX}timestamp`:
      if (!TIMESTAMP.test(text)) throw new ScalarError('!!timestamp needs a date.');
      return { kind: 'timestamp', value: timestampText(text) };
    default:
      throw new ScalarError('The tag is not one that cloud-init knows; remove it, or quote the value.');
  }
}

function truth(text: string): boolean {
  return /^(?:yes|true|on)$/i.test(text);
}

function integer(text: string): bigint {
  const plain = text.replaceAll('_', '');
  const negative = plain.startsWith('-');
  const digits = plain.replace(/^[-+]/, '');
  const value = magnitude(digits);
  return negative ? -value : value;
}

function magnitude(digits: string): bigint {
  if (/^0[bx]?$/.test(digits) && digits !== '0') throw new ScalarError('A number without digits.');
  if (digits === '0') return 0n;
  if (/^0[bx]/.test(digits)) return BigInt(digits);
  if (digits.startsWith('0')) return BigInt(`0o${digits.slice(1)}`);
  if (!digits.includes(':')) return BigInt(digits);
  return digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

function taggedInteger(text: string): bigint {
  if (text.length > MAX_NUMBER || !INT.test(text)) throw new ScalarError('!!int needs a whole number.');
  return integer(text);
}

function taggedFloat(text: string): number {
  if (text.length <= MAX_NUMBER && FLOAT.test(text)) return float(text);
  if (/^[-+]?[0-9]+(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number(text);
  throw new ScalarError('!!float needs a number.');
}

function float(text: string): number {
  const plain = text.replaceAll('_', '').toLowerCase();
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[-+]/, '');
  if (digits === '.inf') return sign * Number.POSITIVE_INFINITY;
  if (digits === '.nan') return Number.NaN;
  if (!digits.includes(':')) return sign * Number(digits);
  return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function binary(text: string): Uint8Array {
  const decoded = pythonBase64(text);
  if (decoded === undefined) throw new ScalarError('!!binary needs base64.');
  return decoded.bytes;
}

const PARTS =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d*))?(?:[ \t]*(?:(Z)|([-+])(\d{1,2})(?::(\d{2}))?))?)?$/;

/**
 * The date or datetime that PyYAML reads from `text`, as Python's `str()` writes it. cloud-init takes this
 * text wherever an unquoted date stands in place of a string.
 *
 * @throws ScalarError if there is no such day or time
 */
function timestampText(text: string): string {
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute,
    second,
    fraction,
    zulu,
    sign,
    zoneHour,
    zoneMinute,
  ] = PARTS.exec(text) ?? [];
  const date = `${year}-${two(month)}-${two(day)}`;
  if (!exists(Number(year), Number(month), Number(day))) throw new ScalarError('There is no such date.');
  if (hour === undefined || minute === undefined || second === undefined) return date;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new ScalarError('There is no such time of day.');
  }
  const micros = (fraction ?? '').slice(0, 6).padEnd(6, '0');
  const time = `${two(hour)}:${minute}:${second}${micros === '000000' ? '' : `.${micros}`}`;
  return `${date} ${time}${zone(zulu, sign, zoneHour, zoneMinute)}`;
}

function zone(zulu?: string, sign?: string, hours?: string, minutes?: string): string {
  if (zulu !== undefined) return '+00:00';
  if (sign === undefined || hours === undefined) return '';
  const total = Number(hours) * 60 + Number(minutes ?? '0');
  if (total >= 24 * 60) throw new ScalarError('There is no such time zone.');
  const shown = `${two(String(Math.floor(total / 60)))}:${two(String(total % 60))}`;
  return total === 0 ? '+00:00' : `${sign}${shown}`;
}

function exists(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

function two(digits: string): string {
  return digits.padStart(2, '0');
}

/** A scalar of its type's form but without a value, such as 31 February. The message is a whole sentence. */
export class ScalarError extends ExpectedError {}
