import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES, MAX_RAW_BYTES } from '../../text/limits.ts';
import { unclosedSection } from '../../text/scripts.ts';
import { plainText } from '../../text/source-text.ts';
import { refuseFirstLine } from './first-line.ts';
import { isMimeHead, unwrapLayers } from './layers.ts';
import { type MimeLeaf, readMime } from './mime.ts';
import { type Part, typeOf } from './part.ts';
import { toText } from './text.ts';
import { undoTransferEncoding } from './transfer.ts';
import { warnOfBlanks, warnOfIgnoredPrefix } from './warn-of-ignored-prefix.ts';

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
    const message = `${name} has <${unclosed.tag}> without </${unclosed.tag}>; nothing between such tags is run.`;
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
      `The Content-Transfer-Encoding of ${what} is unknown, or the part does not follow it.`,
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
    const message = `${what} has letters beyond ASCII, and no Content-Transfer-Encoding for them: cloud-init makes others of them, or acts upon nothing of it; use base64.`;
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
