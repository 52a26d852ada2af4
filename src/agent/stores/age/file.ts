import { createDecipheriv } from 'node:crypto';
import { ExpectedError } from '../../../kit/errors.ts';

/** The file is not of age's format, version 1, or was damaged. */
export class AgeFormatError extends ExpectedError {
  override readonly name = 'AgeFormatError';
}

/** A file key, wrapped for one recipient. */
export interface Stanza {
  type: string;
  args: string[];
  body: Buffer;
}

export interface AgeFile {
  stanzas: Stanza[];
  /** What the header's MAC is over. */
  header: Buffer;
  mac: Buffer;
  /** A nonce of 16 bytes, then the chunks. */
  payload: Buffer;
}

const VERSION = 'age-encryption.org/v1';
const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----';
const END = '-----END AGE ENCRYPTED FILE-----';
const LINE_COLUMNS = 64;
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;

/** Undoes the armour, if there is one. @throws AgeFormatError */
export function withoutArmour(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').trim();
  if (!text.startsWith(BEGIN)) return bytes;
  if (!text.endsWith(END)) throw new AgeFormatError('it is cut off: its last line is missing');
  return fromBase64(text.slice(BEGIN.length, -END.length).replace(/\r?\n/g, ''), true);
}

/** The format of https://age-encryption.org/v1. @throws AgeFormatError */
export function readAgeFile(bytes: Buffer): AgeFile {
  let at = 0;
  const line = (): string => {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) throw new AgeFormatError('its header is cut off');
    const text = bytes.toString('latin1', at, end);
    at = end + 1;
    return text;
  };
  if (line() !== VERSION)
    throw new AgeFormatError(`it is not encrypted by age (its first line is not ${VERSION})`);
  const stanzas: Stanza[] = [];
  for (;;) {
    const start = at;
    const [mark, ...words] = line().split(' ');
    if (mark === '---') {
      const mac = fromBase64(words.join(' '), false);
      return { stanzas, header: bytes.subarray(0, start + 3), mac, payload: bytes.subarray(at) };
    }
    const [type = '', ...args] = words;
    if (mark !== '->' || type === '') throw new AgeFormatError('its header is damaged');
    let body = '';
    for (let part = line(); ; part = line()) {
      body += part;
      if (part.length > LINE_COLUMNS) throw new AgeFormatError('its header is damaged');
      if (part.length < LINE_COLUMNS) break;
    }
    stanzas.push({ type, args, body: fromBase64(body, false) });
  }
}

/** Strict, as age demands: one encoding for each content. @throws AgeFormatError */
export function fromBase64(text: string, isPadded: boolean): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const again = bytes.toString('base64');
  if ((isPadded ? again : again.replace(/=+$/, '')) !== text)
    throw new AgeFormatError('it has base64 that is cut off or damaged');
  return bytes;
}

/**
 * The chunks of a payload in clear; the last one says that it is, so nothing can be cut off.
 * @throws AgeFormatError
 */
export function openChunks(chunks: Buffer, key: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  const size = CHUNK_BYTES + TAG_BYTES;
  const count = Math.max(1, Math.ceil(chunks.length / size));
  for (let index = 0; index < count; index += 1) {
    const isLast = index === count - 1;
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(index, 7);
    nonce[11] = isLast ? 1 : 0;
    const part = openBox(key, nonce, chunks.subarray(index * size, (index + 1) * size));
    if (part === undefined || (isLast && index > 0 && part.length === 0))
      throw new AgeFormatError('its content is cut off or was changed');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** ChaCha20-Poly1305, the tag behind the ciphertext. @returns undefined where key or content is another */
export function openBox(key: Uint8Array, nonce: Uint8Array, box: Buffer): Buffer | undefined {
  if (box.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
