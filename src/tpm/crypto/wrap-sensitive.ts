import { createCipheriv, createHmac } from 'node:crypto';
import { bytesOf, sized } from '../wire/writer.ts';
import { kdfa } from './key-derivation.ts';

const NONE = Buffer.alloc(0);

/**
 * Outer wrapping (Part 1, 22.4 and 24): encrypted by AES-128-CFB, and an HMAC before it, both under keys from the seed and
 * for one object's Name only.
 *
 * @returns 2B HMAC, then the ciphertext
 */
export function wrapSensitive(seed: Uint8Array, name: Uint8Array, sensitive: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-128-cfb', kdfa(seed, 'STORAGE', name, NONE, 128), Buffer.alloc(16));
  const encrypted = bytesOf(cipher.update(sensitive), cipher.final());
  const hmac = createHmac('sha256', kdfa(seed, 'INTEGRITY', NONE, NONE, 256));
  return bytesOf(sized(hmac.update(encrypted).update(name).digest()), encrypted);
}
