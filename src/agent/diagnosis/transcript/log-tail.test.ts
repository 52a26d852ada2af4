import { expect, it } from 'vitest';
import { LogTail } from './log-tail.ts';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

it('keeps a small log whole', () => {
  const tail = new LogTail(1000);
  tail.push(Buffer.from('one\ntw'));
  tail.push(Buffer.from('o\n'));
  expect(tail.read()).toEqual({ text: 'one\ntwo\n', firstLine: 1 });
  expect(new LogTail().read()).toEqual({ text: '', firstLine: 1 });
});

it('keeps the end of a large one and knows its line numbers', () => {
  const tail = new LogTail(100);
  const all = Buffer.from(lines(1, 1000));
  for (let at = 0; at < all.length; at += 37) tail.push(all.subarray(at, at + 37));
  const { text, firstLine } = tail.read();
  expect(text.length).toBeLessThan(150);
  expect(text).toBe(lines(firstLine, 1000));
});

it('holds no more than it keeps and one chunk', () => {
  const tail = new LogTail(1024 * 1024);
  const chunk = Buffer.from(`${'x'.repeat(1023)}\n`.repeat(64));
  for (let i = 0; i < 2_000; i++) tail.push(chunk);
  const { text, firstLine } = tail.read();
  expect(text.length).toBeLessThanOrEqual(1024 * 1024 + chunk.length);
  expect(firstLine).toBeGreaterThan(120_000);
});
