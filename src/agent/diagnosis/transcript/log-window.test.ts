import { expect, it } from 'vitest';
import { LogWindow } from './log-window.ts';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');
const numbers = (window: LogWindow): number[] =>
  window
    .read('log')
    .lines.filter(({ text }) => text !== '')
    .map(({ number }) => number);

it('keeps a small log whole', () => {
  const window = new LogWindow(1000);
  window.push(Buffer.from('one\ntw'));
  window.push(Buffer.from('o\n'));
  const { lines: read, extent } = window.read('log');
  expect(read.map(({ text }) => text)).toEqual(['one', 'two', '']);
  expect(extent).toEqual({ file: 'log', bytes: 8, lines: 2, whole: true });
  expect(new LogWindow().read('log').extent).toMatchObject({ lines: 0, whole: true });
});

it('keeps the end of a large one and knows its line numbers', () => {
  const window = new LogWindow(100);
  const all = Buffer.from(lines(1, 1000));
  for (let at = 0; at < all.length; at += 37) window.push(all.subarray(at, at + 37));
  const { lines: read, extent } = window.read('log');
  expect(read.length).toBeLessThan(25);
  for (const { text, number } of read) if (text !== '') expect(text).toBe(`line ${number}`);
  expect(extent).toEqual({ file: 'log', bytes: all.length, lines: 1000, whole: false });
});

it("keeps kubeadm's lines and those around them, however much comes behind", () => {
  const window = new LogWindow(1000);
  const error = 'error execution phase preflight: could not do it\n';
  const all = Buffer.from(`${lines(1, 500)}${error}${lines(502, 5_000)}`);
  for (let at = 0; at < all.length; at += 333) window.push(all.subarray(at, at + 333));
  const kept = numbers(window);
  expect(kept).toContain(501);
  expect(kept).toContain(495);
  expect(kept).toContain(561);
  expect(kept).not.toContain(480);
  expect(kept).not.toContain(600);
  expect(kept).toContain(5_000);
});

it('holds no more than it keeps and one chunk, whatever the log is made of', () => {
  for (const line of [`${'x'.repeat(1023)}\n`, `[preflight] ${'x'.repeat(1011)}\n`, 'x'.repeat(1024)]) {
    const window = new LogWindow(64 * 1024);
    const chunk = Buffer.from(line.repeat(64));
    for (let i = 0; i < 200; i++) window.push(chunk);
    const { lines: read, extent } = window.read('log');
    const held = read.reduce((sum, { text }) => sum + text.length, 0);
    expect(held).toBeLessThan(6 * 1024 * 1024);
    expect(extent.bytes).toBe(200 * chunk.length);
  }
});
