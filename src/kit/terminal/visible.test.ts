import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mapTexts, visible, visibleJson, visibleOutput, visibleTexts } from './visible.ts';

it('shows what a terminal would act upon', () => {
  expect(visible('a\x1b[2Jb\u202ec\nd')).toBe('a\ufffd[2Jb\ufffdc\ufffdd');
});

it('leaves of output its lines and tabs, and neither colours nor titles nor moves', () => {
  expect(visibleOutput('\x1b[31mred\x1b[0m\tand\x1b]0;title\x07 \x9b2J\u202eend\n\r')).toBe(
    'red\tand\ufffd]0;title\ufffd \ufffdend\n\ufffd',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => !/[^\P{Cc}\t\n]/u.test(visibleOutput(text))),
  );
});

it('spells in JSON what a terminal would act upon, and changes no value', () => {
  const told = { cause: 'a\u009b2J\u202eb\x7f\u{e0041}c', lines: ['x\ny'] };
  expect(visibleJson(told)).toBe('{"cause":"a\\u009b2J\\u202eb\\u007f\\udb40\\udc41c","lines":["x\\ny"]}');
  expect(JSON.parse(visibleJson(told, 2))).toEqual(told);
  expect(visibleJson({ a: [1] }, 2)).toBe('{\n  "a": [\n    1\n  ]\n}');
});

it('reaches every text of a value', () => {
  expect(visibleTexts({ a: ['\x07', { b: '\x1b[1mx' }], n: 1, u: undefined })).toEqual({
    a: ['\ufffd', { b: 'x' }],
    n: 1,
    u: undefined,
  });
});

it('maps texts as JSON has them, touches nothing else, and gives the same object back where nothing changes', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json);
      const before = JSON.stringify(value);
      expect(mapTexts(value, (text) => text)).toBe(value);
      const mapped = JSON.stringify(mapTexts(value, (text) => `${text}!`));
      expect(mapped).toBe(
        JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? `${inner}!` : inner)),
      );
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
  const odd: unknown = JSON.parse('{"__proto__": {"a": "x"}, "1": ["", "y"]}');
  expect(JSON.stringify(mapTexts(odd, () => 'z'))).toBe('{"1":["z","z"],"__proto__":{"a":"z"}}');
});
