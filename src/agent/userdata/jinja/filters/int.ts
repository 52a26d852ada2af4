import { bind } from '../values/signature.ts';
import { type CallArgs, defined, type Value, ValueError } from '../values/values.ts';

/** Python refuses integers with more digits. */
const MAX_DIGITS = 4300;

/** The filter `int`: Python's `int(value)`, else the part before the point, else the default. */
export function int(value: Value, args: CallArgs): Value {
  const [fallback = 0n] = bind('int', args, ['default?']);
  defined(value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'string') return parse(value.trim()) ?? fallback;
  return typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.trunc(value)) : fallback;
}

function parse(text: string): bigint | undefined {
  // Python accepts digits of every script, and does not treat a byte order mark as white space.
  if (/[^\x20-\x7e]/.test(text)) throw new ValueError('int needs a text of plain digits.');
  const digits = text.replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[-+]?\d+$/.test(digits) && digits.length <= MAX_DIGITS) return BigInt(digits.replace('+', ''));
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}
