import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MalformedError } from '../wire/reader.ts';

/** What a sealed part is for; it opens for nothing else. */
interface Bound {
  /** Names the Machine: its UID, or whatever the stub calls it where no controller is asked. */
  readonly machine: string;
  /** ISO 8601 in UTC, as the stub has it. */
  readonly expires: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Encrypts user data of any format: initialization vector, ciphertext (AES-256-GCM of what gzip made of it), tag of 16 bytes. */
export function sealPart(content: Uint8Array, bound: Bound): { part: Buffer; key: Buffer } {
  const [key, iv] = [randomBytes(KEY_BYTES), randomBytes(IV_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated(bound));
  const packed = gzipSync(content, { level: 9 });
  return { key, part: Buffer.concat([iv, cipher.update(packed), cipher.final(), cipher.getAuthTag()]) };
}

/**
 * @param maxBytes of what comes out of it
 * @throws MalformedError if the part, the key or what it is bound to is another
 */
export function openPart(part: Uint8Array, key: Uint8Array, bound: Bound, maxBytes: number): Buffer {
  let packed: Buffer;
  try {
    const [iv, tag] = [part.subarray(0, IV_BYTES), part.subarray(-TAG_BYTES)];
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated(bound)).setAuthTag(tag);
    packed = Buffer.concat([decipher.update(part.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new MalformedError(
      'the sealed part was created with another key, for another Machine or with another expiry',
    );
  }
  try {
    return gunzipSync(packed, { maxOutputLength: maxBytes });
  } catch {
    throw new MalformedError(`the sealed part has more than ${maxBytes} bytes, or is not gzip data`);
  } finally {
    packed.fill(0);
  }
}

/** `sha256:` and the digest: how a stub names the part. */
export function partDigest(part: Uint8Array): string {
  return `sha256:${createHash('sha256').update(part).digest('hex')}`;
}

function associated({ machine, expires }: Bound): Buffer {
  return Buffer.from(`slipway sealed user data v1\0${machine}\0user-data\0${expires}`);
}
