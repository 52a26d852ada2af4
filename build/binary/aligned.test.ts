import { describe, expect, it } from 'vitest';
import { bytesBefore, surrounded, within } from './aligned.ts';

const CACHE = Buffer.from('the code cache');

/** Some binary, with the cache and what stands around it at `at`. */
function binary(at: number, before: number): Buffer {
  return Buffer.concat([Buffer.alloc(at, 0xff), surrounded(CACHE, before), Buffer.alloc(100, 0xff)]);
}

describe('a code cache in a binary', () => {
  it.each(Array.from({ length: 16 }, (_, at) => at))(
    'begins at a multiple of 8, also in an asset at %i',
    (at) => {
      for (const before of [1, 5, 8]) {
        const moved = bytesBefore(binary(at, before), CACHE, before);
        expect(binary(at, moved).indexOf(CACHE) % 8).toBe(0);
        expect(bytesBefore(binary(at, moved), CACHE, moved)).toBe(moved);
      }
    },
  );

  it('is found where it lies, and moves nothing behind it', () => {
    for (let before = 1; before <= 8; before += 1) {
      const asset = surrounded(CACHE, before);
      expect(asset).toHaveLength(CACHE.length + 8);
      const bytes = Uint8Array.from(asset).buffer;
      expect(within(bytes)).toEqual(CACHE);
      expect(within(bytes).buffer).toBe(bytes);
    }
  });

  it('has to be there', () => {
    expect(() => bytesBefore(Buffer.alloc(100), CACHE, 1)).toThrow('not in the file');
  });
});
