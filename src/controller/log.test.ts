import { expect, it } from 'vitest';
import { createLog } from './log.ts';

it('writes a line that no text from outside forges, and no terminal acts upon', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log.warn('refused', { because: 'CN=a\u009b2J\u202e\n{"level":"info"}\u2028', node: undefined });
  expect(lines.join('')).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ because: 'CN=a\u009b2J\u202e\n{"level":"info"}\u2028' });
});
