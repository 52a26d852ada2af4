import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible, visibleOutput, visibleTexts } from './visible.ts';

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

it('reaches every text of a value', () => {
  expect(visibleTexts({ a: ['\x07', { b: '\x1b[1mx' }], n: 1, u: undefined })).toEqual({
    a: ['\ufffd', { b: 'x' }],
    n: 1,
    u: undefined,
  });
});
