import { createHash, createHmac } from 'node:crypto';
import { u32 } from '../wire/writer.ts';

/**
 * Key derivation of the TPM 2.0 Library (Part 1, 11.4.10): KDFa from a key, KDFe from a point that two sides share. Both by
 * SHA-256, which all of Slipway's keys are named by.
 */

const BLOCK_BYTES = 32;

/** @returns `bits` / 8 bytes */
export function kdfa(key: Uint8Array, label: string, u: Uint8Array, v: Uint8Array, bits: number): Buffer {
  return blocks(bits, (counter) =>
    createHmac('sha256', key)
      .update(u32(counter))
      .update(`${label}\0`, 'latin1')
      .update(u)
      .update(v)
      .update(u32(bits))
      .digest(),
  );
}

/** @param shared x coordinate of the shared point, as long as the curve's field */
export function kdfe(shared: Uint8Array, label: string, u: Uint8Array, v: Uint8Array, bits: number): Buffer {
  return blocks(bits, (counter) =>
    createHash('sha256')
      .update(u32(counter))
      .update(shared)
      .update(`${label}\0`, 'latin1')
      .update(u)
      .update(v)
      .digest(),
  );
}

function blocks(bits: number, block: (counter: number) => Buffer): Buffer {
  const count = Math.ceil(bits / 8 / BLOCK_BYTES);
  return Buffer.concat(Array.from({ length: count }, (_, at) => block(at + 1))).subarray(0, bits / 8);
}
