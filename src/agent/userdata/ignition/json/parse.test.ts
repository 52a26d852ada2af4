import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonNode } from './parse.ts';
import { JsonError, parseJson } from './parse.ts';

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'array':
      return node.items.map(plain);
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, plain(value)]));
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const valid = '{"a": [1, -2.5e3, "x\\u00e4\\n", null, true], "b": {"c": false}}';
    fc.assert(
      fc.property(
        fc.nat(valid.length),
        fc.constantFrom(...'{}[],:"\\\n0x \t'),
        fc.boolean(),
        (at, char, cut) => {
          const text = valid.slice(0, at) + char + valid.slice(cut ? at + 1 : at);
          const [ours, theirs] = [outcome(() => parseJson(text)), outcome(() => JSON.parse(text))];
          expect({ text, ok: ours }).toEqual({ text, ok: theirs });
        },
      ),
    );
  });

  it.each([
    ['{"a" 1}', 5],
    ['{"a": 1,}', 8],
    ['[1 2]', 3],
    ['{"a": tru}', 6],
    ['{} x', 3],
    ['{"a": "b', 6],
    ['{"a": "b\tc"}', 8],
    ['{"a": "\\x"}', 7],
    ['', 0],
    ['{', 1],
  ])('says where %s is wrong', (text, offset) => {
    try {
      parseJson(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonError);
      expect((error as JsonError).offset).toBe(offset);
    }
  });

  it('gives up on nesting without end', () => {
    expect(() => parseJson('['.repeat(100_000))).toThrow(/nested/);
  });
});

function outcome(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
