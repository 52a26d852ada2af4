import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { yamlText } from './yaml.ts';

it('returns YAML that reads back as the same value', () => {
  const value = { a: [1, 'no', '2026-01-01T00:00:00Z'], b: { c: 'two\nlines' } };
  expect(load(yamlText({ ...value, absent: undefined }))).toEqual(value);
});

it('leaves no control character in the output', () => {
  expect(yamlText({ text: '\u001b[31mred\u202e' })).not.toMatch(/[^\P{C}\n]/u);
});
