import type { TextDecoder as Decoder } from 'node:util';
import type { Report } from '../../text/report.ts';

/**
 * Decodes bytes from UTF-8 (or the charset of a MIME part), without byte order mark and with `\n` as the only
 * line break. PyYAML reads `\r\n`, `\r` and U+0085 as line breaks too, so nothing changes for it.
 *
 * @returns undefined after an error
 */
export function toText(
  bytes: Uint8Array,
  what: string,
  report: Report,
  charset = 'utf-8',
): string | undefined {
  const problem = wideMark(bytes);
  if (problem !== undefined) {
    report.error('UserDataUndecodable', `${what} is ${problem}; it must be UTF-8.`);
    return undefined;
  }
  const decoder = decoderFor(charset);
  if (decoder === undefined) {
    report.error('UserDataUndecodable', `${what} names a character set that is not known; use UTF-8.`);
    return undefined;
  }
  const text =
    (isOfBytes(decoder) ? decode(new TextDecoder('utf-8', { fatal: true }), bytes) : undefined) ??
    decode(decoder, bytes);
  if (text === undefined) {
    const offset = firstInvalid(bytes);
    report.error(
      'UserDataUndecodable',
      `${what} is not valid UTF-8 (first wrong byte at offset ${offset}, line ${lineAt(bytes, offset)}).`,
    );
    return undefined;
  }
  const zero = text.indexOf('\0');
  if (zero !== -1) {
    report.error(
      'UserDataUndecodable',
      `${what} contains a NUL character in line ${text.slice(0, zero).split('\n').length}; it is binary or damaged.`,
    );
    return undefined;
  }
  return text.replace(/\r\n?|\u0085/g, '\n');
}

/** Whoever writes such a character set's name ("us-ascii" in every example) most often has UTF-8 all the same. */
const isOfBytes = ({ encoding }: Decoder): boolean => /^(?:windows|iso-8859)-/.test(encoding);

function decode(decoder: Decoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function decoderFor(charset: string): Decoder | undefined {
  try {
    return new TextDecoder(charset.replace(/^latin-/i, 'latin'), { fatal: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function wideMark(bytes: Uint8Array): string | undefined {
  const [a, b] = bytes;
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) ? 'UTF-16' : undefined;
}

/** Finds the first byte that no UTF-8 text can have at that place, by halving. */
function firstInvalid(bytes: Uint8Array): number {
  const valid = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (valid(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at += 1) if (bytes[at] === 0x0a) line += 1;
  return line;
}
