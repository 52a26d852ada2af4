import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from './digest.ts';

const real = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const ofBytes = (data: Uint8Array) => real(JSON.stringify({ sha256: real(data) }));

describe('digest', () => {
  it('is that of JSON with sorted keys, whatever the value', () => {
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : value === null || typeof value !== 'object'
          ? value
          : Object.fromEntries(
              Object.entries(value)
                .filter(([, item]) => item !== undefined)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([key, item]) => [key, sorted(item)]),
            );
    const key = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.nat(200).map(String),
      fc.constant('__proto__'),
    );
    const values = fc.anything({ key, withNullPrototype: true });
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(value !== undefined);
        expect(digest(value)).toBe(real(JSON.stringify(sorted(value))));
      }),
      { numRuns: 2000 },
    );
  });

  it('hashes any bytes, also within a larger buffer, and texts as JSON has them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(7), fc.string(), (bytes, skip, text) => {
        expect(digest(bytes.subarray(skip))).toBe(ofBytes(bytes.subarray(skip)));
        expect(digest(text)).toBe(real(JSON.stringify(text)));
      }),
    );
  });
});
