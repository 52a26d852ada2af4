import type { KeyObject } from 'node:crypto';

/** A key does not change, and OpenSSL encodes it anew each time: an authority's own for every certificate. */
const known = new WeakMap<KeyObject, Uint8Array>();

/** SubjectPublicKeyInfo of a public key, in DER. */
export function publicBytes(key: KeyObject): Uint8Array {
  const found = known.get(key) ?? key.export({ format: 'der', type: 'spki' });
  known.set(key, found);
  return found;
}
