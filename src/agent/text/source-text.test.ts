import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainText } from './source-text.ts';

it('says where a place is in whatever order it is asked', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n'), { maxLength: 20 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 20 }), (parts, offsets) => {
      const whole = parts.join('');
      const { locate } = plainText(whole, 3);
      for (const offset of offsets.map((offset) => Math.min(offset, whole.length))) {
        const lines = whole.slice(0, offset).split('\n');
        expect(locate(offset)).toEqual({ line: lines.length + 3, column: (lines.at(-1) ?? '').length + 1 });
      }
    }),
  );
});
