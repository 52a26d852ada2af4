import { isUtf8 } from 'node:buffer';
import type { TextDecoder as Decoder } from 'node:util';
import type { Diagnostic } from '../../document/document.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { plainText, type SourceText } from '../../text/source-text.ts';
import { guessContent } from './guess-content.ts';
import { describeBinary, firstInvalidUtf8, hasWideByteOrderMark } from './invalid-utf8.ts';

/** How a text is called, and where it stands in the user data. */
interface Placing {
  charset?: string | undefined;
  /** Knows the places of what is read, up to where it can be read. */
  placed?(text: string): SourceText;
}

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
  diagnostics: Diagnostics,
  { charset = 'utf-8', placed = plainText }: Placing = {},
): string | undefined {
  const refuse = (code: Diagnostic['code'], message: string, before = ''): undefined => {
    const source = placed(before);
    diagnostics.of(source).error(code, `${what} ${message}`, source.locate(before.length));
  };
  const utf8 = isUtf8(bytes) ? withoutMark(bytes) : undefined;
  const isUsual = charset === 'utf-8';
  const decoder = isUsual ? undefined : decoderFor(charset);
  if (!isUsual && decoder === undefined && utf8 === undefined)
    return refuse('UserDataNotUtf8', 'names an unknown character set, and is not UTF-8.');
  // A wide character set's text may look like UTF-8 by chance, one that switches by escapes does: it shows by these.
  const isPlain = utf8 !== undefined && !utf8.includes('\0') && !utf8.includes('\x1b');
  const text = hasWideByteOrderMark(bytes)
    ? undefined
    : isPlain || decoder === undefined
      ? utf8
      : decode(decoder, bytes);
  const zero = text?.indexOf('\0') ?? -1;
  if (text === undefined || zero !== -1) {
    const kind = describeBinary(bytes);
    if (kind !== undefined) return refuse('UserDataNotUtf8', `${kind}.`);
    if (text === undefined) {
      const { code, message, before } = firstInvalidUtf8(bytes);
      return refuse(code, message, withPlainBreaks(before));
    }
    const message = 'contains a NUL character; it is binary or damaged.';
    return refuse('UserDataUndecodable', message, withPlainBreaks(text.slice(0, zero)));
  }
  if (!isUsual && decoder === undefined) {
    const message = `${what} names an unknown character set; it is read as UTF-8.`;
    diagnostics.warn('UserDataNotUtf8', message);
  }
  if (text !== utf8) diagnostics.warn('UserDataNotUtf8', `${what} is not UTF-8, so cloud-init ignores it.`);
  return withPlainBreaks(text);
}

const withPlainBreaks = (text: string): string => text.replace(/\r\n?|\u0085/g, '\n');

/** Node.js takes half a millisecond to load its decoder. */
function withoutMark(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
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

/** Refuses a text of which nothing says what it is, with what its beginning reads like. */
export function refuseFirstLine(source: SourceText, name: string, diagnostics: Diagnostics): void {
  const start = Math.max(source.text.search(/\S/), 0);
  const head = source.text.slice(start, start + 4096);
  const message = `${name} has an unknown first line; ${guessContent(head, source.text)}.`;
  diagnostics.error('UserDataFormatUnknown', message, source.locate(start));
}
