import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieces } from '../../../test/support/pieces.ts';
import { jsonLines } from './json-lines.ts';

async function collect(source: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of jsonLines(source, 8 * 1024 * 1024, () => {})) found.push(value);
  return found;
}

describe('jsonLines', () => {
  it('finds the values whatever the pieces are, also within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (values, sizes) => {
          const texts = values.map((value) => JSON.stringify({ value, sign: '→ü' }));
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          expect(await collect(pieces(bytes, sizes))).toEqual(texts.map((text) => JSON.parse(text)));
        },
      ),
    );
  });

  it('does not take a line without an end, nor what is no JSON', async () => {
    await expect(collect(pieces(Buffer.from('{"a":\n'), [3]))).rejects.toThrow();
    await expect(collect(pieces(Buffer.alloc(9 * 1024 * 1024, 0x20), [65_536]))).rejects.toThrow(/more than/);
  });
});
