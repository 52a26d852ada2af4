/** The values of a template's literals, by Python's rules. */

/** Reads `0x10`, `0o17`, `0b11`, `1_000`. */
export function parseInteger(text: string): bigint {
  return BigInt(text.replaceAll('_', '').toLowerCase());
}

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Reads a quoted string. An escape that Python does not know keeps its backslash. */
export function parseString(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
      (whole: string, x?: string, u?: string, long?: string, octal?: string, other?: string) => {
        if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
        const hex = x ?? u ?? long;
        if (hex === undefined) return SIMPLE[other ?? ''] ?? whole;
        const code = Number.parseInt(hex, 16);
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      },
    );
}
