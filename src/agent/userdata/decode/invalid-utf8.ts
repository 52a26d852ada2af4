import type { Diagnostic } from '../../document/document.ts';

/** What begins with bytes of its own, the longest first; nothing of it is a value of the user data. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['FF FE 00 00', 'is UTF-32'],
  ['00 00 FE FF', 'is UTF-32'],
  ['FF FE', 'is UTF-16'],
  ['FE FF', 'is UTF-16'],
  ['1F EF BF BD', 'is gzip data destroyed by reading it as UTF-8'],
  ['1F C2 8B', 'is gzip data that was read as Latin-1 and saved as UTF-8'],
  ['28 B5 2F FD', 'is compressed with zstd, which is not supported'],
  ['FD 37 7A 58 5A', 'is compressed with xz, which is not supported'],
  ['42 5A 68', 'is compressed with bzip2, which is not supported'],
  ['50 4B 03 04', 'is a zip archive, which is not supported'],
];

const WIDE_MARK = /^(?:\xff\xfe|\xfe\xff)/;

export function hasWideByteOrderMark(bytes: Uint8Array): boolean {
  return WIDE_MARK.test(latin1(bytes.subarray(0, 2)));
}

/** What bytes are that are no text in UTF-8, by those at their beginning, in words for behind "The user data". */
export function describeBinary(bytes: Uint8Array): string | undefined {
  const head = [...bytes.subarray(0, 8)]
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    .join(' ');
  const found = BEGINNINGS.find(([beginning]) => head.startsWith(beginning));
  if (found !== undefined) return `${found[1]} (it begins with the bytes ${found[0]})`;
  // In both byte orders, every other byte of a letter of ASCII is zero.
  return /^(?:00 (?!00)|(?!00)\w\w 00 )/.test(head)
    ? 'looks like UTF-16 without a byte order mark'
    : undefined;
}

interface Wrong {
  code: Diagnostic['code'];
  message: string;
  /** What can be read of it. */
  before: string;
}

/** Where bytes that are no UTF-8 cease to be some, and what they may be. */
export function firstInvalidUtf8(bytes: Uint8Array): Wrong {
  const { before, offset, isAtEnd } = readable(bytes);
  const isCutOff = isAtEnd && (/[^\0-\x7f]/.test(before) || bytes.length - offset > 1);
  if (isCutOff)
    return { code: 'UserDataUndecodable', message: 'ends within a character; it was truncated.', before };
  const isText = !/[^\P{Cc}\t\n\f\r\u0080-\u009f]/u.test(latin1(bytes));
  const kind = isText
    ? 'it looks like Latin-1, Windows-1252 or another single-byte character set'
    : 'it is binary, or damaged';
  const message = `is not UTF-8 (the first invalid byte is at offset ${offset}); ${kind}.`;
  return { code: 'UserDataNotUtf8', message, before };
}

/** The longest text that bytes begin with, found by halving. */
function readable(bytes: Uint8Array): { before: string; offset: number; isAtEnd: boolean } {
  const read = (length: number): string | undefined => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (read(middle) === undefined) bad = middle;
    else good = middle;
  }
  const before = read(good) ?? '';
  const mark = latin1(bytes.subarray(0, 3)) === '\xef\xbb\xbf' ? 3 : 0;
  // Of a letter that is not whole, the decoder keeps the beginning back.
  return { before, offset: mark + Buffer.byteLength(before), isAtEnd: good === bytes.length };
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
