import { expect, it } from 'vitest';
import { parseOutput } from './output.ts';

it('returns the format, or the first one without an option', () => {
  expect(parseOutput('yaml', ['text', 'yaml'])).toBe('yaml');
  expect(parseOutput(undefined, ['text', 'yaml'])).toBe('text');
});

it('refuses an unknown format and lists the supported ones', () => {
  expect(() => parseOutput('wide', ['text', 'json', 'name'])).toThrow(
    '--output: wide is not supported; use one of text, json, name',
  );
});
