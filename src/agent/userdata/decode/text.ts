import type { TextDecoder as Decoder } from 'node:util';
import type { Report } from '../../text/report.ts';

/**
 * Decodes bytes from UTF-8, without byte order mark and with `\n` as the only line break. PyYAML reads `\r\n`, `\r` and U+0085
 * as line breaks too, so nothing changes for it. The charset of a MIME part counts for what is no UTF-8 only, as cloud-init
 * never looks at it ("us-ascii" stands in every example, whatever the part is). What that cannot read, a warning tells.
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
  const utf8 = decode(new TextDecoder('utf-8', { fatal: true }), bytes);
  const decoder = decoderFor(charset);
  if (decoder === undefined && utf8 === undefined) {
    const message = `${what} names a character set that is not known, and is not UTF-8; use UTF-8.`;
    report.error('UserDataUndecodable', message);
    return undefined;
  }
  // A wide character set's text may look like UTF-8 by chance, one that switches by escapes does: it shows by these.
  const isPlain = utf8 !== undefined && !utf8.includes('\0') && !utf8.includes('\x1b');
  const text = isPlain || decoder === undefined ? utf8 : decode(decoder, bytes);
  if (decoder === undefined) {
    const message = `${what} names a character set that is not known; it is read as UTF-8.`;
    report.warn('UserDataUndecodable', message);
  }
  if (text !== undefined && text !== utf8)
    report.warn('UserDataUndecodable', `${what} is not UTF-8: cloud-init acts upon nothing of it.`);
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
