import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES, MAX_LAYERS } from '../../text/limits.ts';
import { typeOf } from './part.ts';

/**
 * Undoes gzip and base64 in whatever order and number providers have applied them (each at most a few times).
 * It decodes base64 only if the result is certainly user data.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function unwrapLayers(
  raw: Buffer,
  diagnostics: Diagnostics,
  name = 'The user data',
): Buffer | undefined {
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
  const message = `${name} is wrapped more than once (${undone.join(', in it ')}): cloud-init undoes base64 at most once, and gzip once after it, and acts upon nothing of this.`;
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
export function isMimeHead(text: string): boolean {
  return text.slice(0, 4096).toLowerCase().includes('mime-version:');
}
