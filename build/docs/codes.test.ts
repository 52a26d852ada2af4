import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codes } from '../../src/protocol/codes/codes.ts';
import { codesPage, DOCUMENT } from './codes.ts';

it('docs/codes.md is current (else run: npm run node -- build/docs/codes.ts)', () => {
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(codesPage());
});

it('has every code once, as a heading', () => {
  const headings = [...codesPage().matchAll(/^### (\w+)$/gm)].map((match) => match[1]);
  expect([...headings].sort()).toEqual(Object.keys(codes()).sort());
});

it.each(Object.entries(codes()))('%s is in whole sentences', (code, row) => {
  expect(code).toMatch(/^(?:A(?=[A-Z])|[A-Z][a-z0-9]+)+$/);
  expect(row.cause).toMatch(/^[A-Za-z].*\.$/);
  expect(row.remedy).toMatch(/^[A-Z].*\.$/);
});
