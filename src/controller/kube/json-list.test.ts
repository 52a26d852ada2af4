import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieces } from '../../../test/support/pieces.ts';
import { readJsonList } from './json-list.ts';

const metadata = { resourceVersion: '7', note: '→ "quoted\\" [{]}' };

async function read(text: string, sizes: readonly number[]): Promise<[unknown[], unknown]> {
  const items: unknown[] = [];
  const found = await readJsonList(pieces(Buffer.from(text), sizes), 8 * 1024 * 1024, (item) =>
    items.push(item),
  );
  return [items, found];
}

describe('readJsonList', () => {
  it('finds what JSON.parse finds, whatever the pieces are and wherever the metadata stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.constantFrom(undefined, 1, '\t'),
        async (items, sizes, isBehind, indent) => {
          const list = isBehind ? { kind: 'List', items, metadata } : { metadata, items, kind: 'List' };
          const text = JSON.stringify(list, undefined, indent);
          expect(await read(text, sizes)).toEqual([JSON.parse(JSON.stringify(items)), metadata]);
        },
      ),
    );
  });

  it('takes an empty list for one', async () => {
    expect(await read(JSON.stringify({ items: null, metadata }), [5])).toEqual([[], metadata]);
  });

  it.each([
    ['cut off', '{"items":[{"a":1},{"b"'],
    ['cut off between items', '{"items":[{"a":1},'],
    ['no list', '{"a":1}'],
    ['no JSON', 'nginx'],
    ['an item that is no JSON', '{"items":[{a}],"metadata":{}}'],
    ['too many ends', '}]}]'],
  ])('throws for what is %s', async (_, text) => {
    await expect(read(text, [3])).rejects.toThrow();
  });

  it('throws for what has no end beside the items, too', async () => {
    const endless = `{"items":[{"a":1}],"metadata":{"note":"${'x'.repeat(2 * 1024 * 1024)}`;
    await expect(read(endless, [65_536])).rejects.toThrow(/beside its items/);
  });

  it('throws for an item without an end before it fills the memory', async () => {
    const endless = `{"items":[{"a":"${'x'.repeat(9 * 1024 * 1024)}`;
    await expect(read(endless, [65_536])).rejects.toThrow(/more than/);
  });
});
