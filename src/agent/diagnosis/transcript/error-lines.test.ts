import { expect, it } from 'vitest';
import { errorAt } from './error-lines.ts';
import type { LogLine } from './line.ts';

it('looks at the lines near an error, however many stand before it', () => {
  let copied = 0;
  class Watched extends Array<LogLine> {
    override slice(from?: number, to?: number): LogLine[] {
      const part = Array.from(this).slice(from, to);
      copied += part.length;
      return part;
    }
  }
  const text = 'unable to select an IP from default routes.';
  const line = { file: 'log', number: 1, text, writer: '', stream: '' };
  const lines = Watched.from({ length: 20_000 }, () => line);
  errorAt(lines, lines.length - 100);
  expect(copied).toBeLessThan(lines.length);
});
