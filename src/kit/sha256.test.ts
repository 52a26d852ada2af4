import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

const real = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

describe('sha256', () => {
  it('gives what OpenSSL gives for every length around the borders of blocks', () => {
    for (let length = 0; length < 300; length += 1) {
      const data = Buffer.alloc(length, 'slipway');
      expect(sha256(data)).toBe(real(data));
    }
  });

  it('gives what OpenSSL gives for any bytes, also within a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(7), (bytes, skip) => {
        expect(sha256(bytes.subarray(skip))).toBe(real(bytes.subarray(skip)));
      }),
    );
    const large = Buffer.alloc(3_000_001, 'x');
    expect(sha256(large)).toBe(real(large));
  });
});
