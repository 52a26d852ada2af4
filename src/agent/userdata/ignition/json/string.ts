const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Control characters must be escaped. */
const PLAIN = /[ !#-[\]-\u{10ffff}]*/uy;
const HEX = /[0-9a-fA-F]{4}/y;

/**
 * Reads the JSON string whose quotation mark stands at `start`. Halves of a surrogate pair that stand alone
 * become U+FFFD, as in Go.
 *
 * @returns the value and the offset behind it, or a problem and its offset
 */
export function readString(text: string, start: number): { value: string; end: number; problem?: string } {
  let value = '';
  let at = start + 1;
  for (;;) {
    const plain = match(PLAIN, text, at);
    value += plain;
    at += plain.length;
    const next = text[at];
    if (next === '"') return { value: value.toWellFormed(), end: at + 1 };
    if (next === undefined) return { value, end: start, problem: 'this string has no end' };
    if (next !== '\\')
      return { value, end: at, problem: 'a string holds a control character that is not escaped' };
    const letter = text[at + 1] ?? '';
    if (letter === 'u') {
      const hex = match(HEX, text, at + 2);
      if (hex === '') return { value, end: at, problem: '\\u must be followed by four hexadecimal digits' };
      value += String.fromCharCode(Number.parseInt(hex, 16));
      at += 6;
    } else {
      const escaped = ESCAPES[letter];
      if (escaped === undefined) return { value, end: at, problem: 'this escape is not one of JSON' };
      value += escaped;
      at += 2;
    }
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
