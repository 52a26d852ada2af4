import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import type { Position } from '../../document/document.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES, MAX_LAYERS, MAX_RAW_BYTES } from '../../text/limits.ts';
import { unclosedSection } from '../../text/scripts.ts';
import { plainText } from '../../text/source-text.ts';
import { type MimeLeaf, readMime } from './mime.ts';
import { type Part, typeOf } from './part.ts';
import { refuseFirstLine, toText } from './text.ts';
import { undoTransferEncoding } from './transfer.ts';

/**
 * Splits the bytes of user data into parts: one for a plain document, several for a MIME multipart. It
 * decompresses and decodes them.
 *
 * @param name What messages call the bytes.
 * @returns undefined if `diagnostics` got an error
 */
export function decodeUserData(
  raw: Buffer,
  diagnostics: Diagnostics,
  name = 'The user data',
): Part[] | undefined {
  if (raw.length > MAX_RAW_BYTES) {
    diagnostics.error(
      'UserDataTooLarge',
      `${name} has ${raw.length} bytes; at most ${MAX_RAW_BYTES} are accepted.`,
    );
    return undefined;
  }
  const bytes = unwrapLayers(raw, diagnostics, name);
  if (bytes === undefined) return undefined;
  const head = bytes.subarray(0, 4096).toString('latin1');
  if (isMimeHead(head)) return decodeMime(bytes, diagnostics);
  const text = toText(bytes, name, diagnostics);
  if (text === undefined) return undefined;
  if (text.trim() === '') {
    diagnostics.error('UserDataEmpty', `${name} is empty.`);
    return undefined;
  }
  warnOfIgnoredPrefix(head, name, diagnostics);
  const unclosed = unclosedSection(text);
  if (unclosed !== undefined) {
    const message = `${name} has <${unclosed.tag}> without </${unclosed.tag}>; the content after the tag is not run.`;
    diagnostics.error('UserDataInvalid', message, plainText(text).locate(unclosed.at));
    return undefined;
  }
  const type = typeOf(text);
  if (type !== undefined) {
    warnOfBlanks(type, text, name, diagnostics, { line: 1, column: 1 });
    return [{ type, source: plainText(text), name: 'part-001' }];
  }
  refuseFirstLine(plainText(text), name, diagnostics);
  return undefined;
}

const GZIP_TYPES = /^application\/(?:x-)?(?:gzip|gzip-compressed|gzipped|compress|compressed|gunzip)$/;
const GUESSED_TYPES: readonly string[] = ['text/plain', 'text/x-not-multipart', 'text/x-shellscript'];

function decodeMime(bytes: Buffer, diagnostics: Diagnostics): Part[] | undefined {
  const leaves = readMime(bytes, diagnostics);
  if (leaves === undefined) return undefined;
  const budget = { left: MAX_DECODED_BYTES };
  const parts = leaves.map((leaf, index) => decodeLeaf(leaf, index + 1, budget, diagnostics));
  if (parts.some((part) => part === undefined)) return undefined;
  const found = parts.filter((part) => part !== undefined && part.source.text.trim() !== '');
  if (found.length === 0) {
    diagnostics.error('UserDataEmpty', 'The MIME multipart has no part with content.');
    return undefined;
  }
  return found as Part[];
}

function decodeLeaf(
  leaf: MimeLeaf,
  number: number,
  budget: { left: number },
  diagnostics: Diagnostics,
): Part | undefined {
  const what = `MIME part ${number}${leaf.fileName === undefined ? '' : ` (${printable(leaf.fileName)})`}`;
  const where = { line: leaf.linesAbove + 1, column: 1 };
  const plain = ['', '7bit', '8bit', 'binary'].includes(leaf.encoding);
  let bytes = undoTransferEncoding(leaf.body, leaf.encoding);
  if (bytes === undefined) {
    diagnostics.error(
      'UserDataUndecodable',
      `The Content-Transfer-Encoding of ${what} is unknown, or the content does not match it.`,
      where,
    );
    return undefined;
  }
  const zipped = GZIP_TYPES.test(leaf.type) || isGzip(bytes);
  if (zipped) {
    const result = gunzip(bytes, budget.left);
    if ('problem' in result) {
      const large = result.problem === 'too-large';
      const message = large
        ? 'decompresses to more than Slipway accepts'
        : 'cannot be decompressed; it is truncated or damaged';
      diagnostics.error(large ? 'UserDataTooLarge' : 'UserDataUndecodable', `${what} ${message}.`, where);
      return undefined;
    }
    bytes = result.bytes;
  }
  budget.left -= bytes.length;
  const isAsIs = plain && !zipped;
  const placed = (text: string) =>
    isAsIs ? plainText(text, leaf.linesAbove) : plainText(text, 0, `counted in ${what}, decoded`);
  const text = toText(bytes, what, diagnostics, { charset: leaf.charset, placed });
  if (text === undefined) return undefined;
  // Python's parser makes Latin-1 of them, with escapes for what that does not have.
  if (isAsIs && /[^\0-\x7f]/.test(text)) {
    const message = `${what} has non-ASCII characters but no Content-Transfer-Encoding: cloud-init changes them or ignores the part; use base64.`;
    diagnostics.warn('UserDataNotUtf8', message, where);
  }
  const guessed = zipped || GUESSED_TYPES.includes(leaf.type) ? typeOf(text) : undefined;
  const name = leaf.fileName ?? `part-${String(number).padStart(3, '0')}`;
  warnOfBlanks(guessed ?? leaf.type, text, what, diagnostics, where);
  return {
    type: guessed ?? leaf.type,
    source: placed(text),
    name,
    ...(leaf.mergeType ? { mergeType: leaf.mergeType } : {}),
    ...(leaf.launchIndex === undefined ? {} : { launchIndex: leaf.launchIndex }),
  };
}

/**
 * Undoes gzip and base64 in whatever order and number providers have applied them (each at most a few times).
 * It decodes base64 only if the result is certainly user data.
 *
 * @returns undefined if `diagnostics` got an error
 */
function unwrapLayers(raw: Buffer, diagnostics: Diagnostics, name = 'The user data'): Buffer | undefined {
  let bytes = raw;
  const undone: ('gzip' | 'base64')[] = [];
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const kind = isGzip(bytes) ? 'gzip' : 'base64';
    const next = kind === 'gzip' ? unzipWhole(bytes, diagnostics, name) : fromBase64(bytes);
    if (next === 'failed') return undefined;
    if (next === undefined) {
      warnOfLayers(undone, name, diagnostics);
      return bytes;
    }
    undone.push(kind);
    bytes = next;
  }
  if (!isGzip(bytes)) {
    warnOfLayers(undone, name, diagnostics);
    return bytes;
  }
  diagnostics.error('UserDataUndecodable', `${name} is compressed or encoded more than ${MAX_LAYERS} times.`);
  return undefined;
}

/** A source may undo base64 before cloud-init looks, and cloud-init undoes gzip once. */
function warnOfLayers(undone: readonly string[], name: string, diagnostics: Diagnostics): void {
  const all = undone.join();
  if (all === '' || all === 'gzip' || all === 'base64' || all === 'base64,gzip') return;
  const message = `${name} is wrapped more than once (${undone.join(', in it ')}): cloud-init decodes base64 at most once, then gzip once, and ignores this user data.`;
  diagnostics.warn('UserDataInvalid', message, { line: 1, column: 1 });
}

function unzipWhole(bytes: Buffer, diagnostics: Diagnostics, name: string): Buffer | 'failed' {
  const result = gunzip(bytes, MAX_DECODED_BYTES);
  if ('bytes' in result) return result.bytes;
  if (result.problem === 'too-large') {
    diagnostics.error('UserDataTooLarge', `${name} decompresses to more than ${MAX_DECODED_BYTES} bytes.`);
  } else {
    diagnostics.error(
      'UserDataUndecodable',
      `${name} begins like gzip but cannot be decompressed; it is truncated or damaged.`,
    );
  }
  return 'failed';
}

/** Decodes `bytes` if they are base64 of gzip or of something with a known beginning; else undefined. */
function fromBase64(bytes: Buffer): Buffer | undefined {
  const compact = looksLikeBase64(bytes);
  if (compact === undefined) return undefined;
  const decoded = Buffer.from(compact, 'base64');
  const known =
    isGzip(decoded) || knownBeginning(decoded) || looksLikeBase64(decoded.subarray(0, 4096)) !== undefined;
  return known ? decoded : undefined;
}

function knownBeginning(bytes: Buffer): boolean {
  const head = bytes
    .subarray(0, 4096)
    .toString('utf8')
    .replace(/^\u{feff}/u, '');
  return typeOf(head) !== undefined || isMimeHead(head) || /^\s*\{\s*"/.test(head);
}

/** The text without white space if all of it is base64; else undefined. */
function looksLikeBase64(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 64).toString('latin1');
  if (!/^[\sA-Za-z0-9+/]+={0,2}\s*$/.test(head)) return undefined;
  const compact = bytes.toString('latin1').replace(/\s+/g, '');
  const well = compact.length >= 12 && compact.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(compact);
  return well ? compact : undefined;
}

/** Recognises MIME by cloud-init's rule: the header name anywhere in the first 4096 bytes. */
function isMimeHead(text: string): boolean {
  return text.slice(0, 4096).toLowerCase().includes('mime-version:');
}

/** What is read here all the same, and makes cloud-init pass over everything: the first bytes of user data, as latin1. */
const PASSED_OVER: readonly (readonly [RegExp, string])[] = [
  [/^\xef\xbb\xbf/, 'begins with a byte order mark'],
  [/^\s+## template:/i, 'has text before "## template: jinja"'],
  [/^## template:[^\n]*\r(?!\n)/i, 'has a template line that ends without a line feed'],
];

/** cloud-init finds the kind of a script past its blanks, and writes it with them: the kernel then sees no interpreter. */
function warnOfBlanks(
  type: string,
  text: string,
  name: string,
  diagnostics: Diagnostics,
  where: Position,
): void {
  if (type !== 'text/x-shellscript' || !/^\s+#!/.test(text)) return;
  const message = `${name} has spaces before #!, so cloud-init does not run this script; #! must be its first two characters.`;
  diagnostics.warn('UserDataInvalid', message, where);
}

/** The same bytes do nothing on a machine whose user data cloud-init or Ignition reads. */
function warnOfIgnoredPrefix(head: string, name: string, diagnostics: Diagnostics): void {
  const [, what] = PASSED_OVER.find(([beginning]) => beginning.test(head)) ?? [];
  if (what === undefined) return;
  const message = `${name} ${what}, so cloud-init ignores it.`;
  diagnostics.warn('UserDataInvalid', message, { line: 1, column: 1 });
}
