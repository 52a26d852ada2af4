/** Digits of numbers as Python's two ways of formatting write them. */

/** `e`, `f`, `g` and their capitals. */
export function fixedFloat(value: number, kind: string, precision: number): string {
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
    return kind === kind.toUpperCase() ? name.toUpperCase() : name;
  }
  const digits = Math.min(precision, 100);
  const text = byKind(value, kind.toLowerCase(), digits);
  return kind === kind.toUpperCase() ? text.toUpperCase() : text;
}

function byKind(value: number, kind: string, digits: number): string {
  if (kind === 'f')
    return Math.abs(value) < 1e21
      ? value.toFixed(digits)
      : `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  if (kind === 'e') return exponent(value.toExponential(digits));
  const significant = Math.max(1, digits);
  const power = value === 0 ? 0 : Number(value.toExponential(significant - 1).split('e')[1]);
  if (power < -4 || power >= significant) return exponent(trimmed(value.toExponential(significant - 1)));
  return trimmed(value.toFixed(Math.min(100, Math.max(0, significant - 1 - power))));
}

/** Two digits at least in the exponent. */
function exponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function trimmed(text: string): string {
  const [mantissa = '', power] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return power === undefined ? short : `${short}e${power}`;
}

const PREFIXES: Readonly<Record<string, [radix: number, prefix: string]>> = {
  x: [16, '0x'],
  X: [16, '0X'],
  o: [8, '0o'],
  b: [2, '0b'],
};

/** A whole number in base 16, 8 or 2; `alternate` puts `0x` before it. */
export function alternate(value: bigint, kind: string, prefixed: boolean): string {
  const [radix, prefix] = PREFIXES[kind] ?? [10, ''];
  const digits = (value < 0n ? -value : value).toString(radix);
  const cased = kind === 'X' ? digits.toUpperCase() : digits;
  return `${value < 0n ? '-' : ''}${prefixed ? prefix : ''}${cased}`;
}

/** Pads to a width by the flags of `%`: `-` to the left, `0` with zeros behind the sign. */
export function pad(text: string, width: number, flags: string, kind: string): string {
  const length = Array.from(text).length;
  if (length >= Math.abs(width)) return text;
  const missing = Math.abs(width) - length;
  if (flags.includes('-') || width < 0) return text + ' '.repeat(missing);
  if (!flags.includes('0') || 'srac'.includes(kind)) return ' '.repeat(missing) + text;
  const [, head = '', digits = ''] = /^([-+ ]?(?:0[xXob])?)([\s\S]*)$/.exec(text) ?? [];
  return head + '0'.repeat(missing) + digits;
}
