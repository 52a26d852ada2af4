import { expect, it } from 'vitest';
import { createLog } from './log.ts';

it('writes no line without an end, and no half of a secret', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const token = 'abcdef.0123456789abcdef';
  log.warn('x'.repeat(40_000_000), { reason: `${'y'.repeat(3_990)} ${token} ${'z'.repeat(40_000_000)}` });
  expect(lines.join('').length).toBeLessThan(10_000);
  const { message, reason } = JSON.parse(lines[0] ?? '');
  expect(message).toMatch(/^x{4000} \.\.\. \(cut, of 40000000 characters\)$/);
  expect(reason).not.toContain(token.slice(7, 10));
});

it('writes a line that no text from outside forges, and no terminal acts upon', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log.warn('refused', { because: 'CN=a\u009b2J\u202e\n{"level":"info"}\u2028', node: undefined });
  expect(lines.join('')).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ because: 'CN=a\u009b2J\u202e\n{"level":"info"}\u2028' });
});
