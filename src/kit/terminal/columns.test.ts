import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cut, fold, pad, width, wrap } from './columns.ts';

it('counts columns, not characters', () => {
  expect(['abc', 'über', '日本', 'e\u0301', '🚀', '✔', '⠋'].map(width)).toEqual([3, 4, 4, 1, 2, 1, 1]);
});

it('cuts a line to the columns there are', () => {
  expect(cut('kubeadm join', 80)).toBe('kubeadm join');
  expect(cut('kubeadm join', 9)).toBe('kubeadm…');
  expect(cut('日本語', 4)).toBe('日…');
  expect(cut('a\x1b[2Jb\nc', 80)).toBe('a\u{fffd}[2Jb\u{fffd}c');
  expect(cut('abc', 0)).toBe('');
});

it('never makes a line longer than the terminal is wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, columns) => {
      expect(width(cut(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

it('aligns what stands behind', () => {
  expect(`${pad('日本', 6)}|`).toBe('日本  |');
});

it('breaks lines at spaces and loses no word', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('a /very/long/path b', 6)).toEqual(['a', '/very/long/path', 'b']);
  expect(wrap('', 6)).toEqual(['']);
});

it('breaks within a word only where the word is longer than a line', () => {
  expect(fold('one /very/long/path two', 8)).toEqual(['one', '/very/lo', 'ng/path', 'two']);
  expect(fold('日本語', 4)).toEqual(['日本', '語']);
  expect(fold('', 4)).toEqual(['']);
});
