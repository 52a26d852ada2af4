import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RULES } from '../../src/agent/check/lint-document.ts';
import { checksPage, DOCUMENT } from './checks.ts';

it('docs/checks.md is current (else run: npm run node -- build/docs/checks.ts)', () => {
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(checksPage());
});

it('has every rule once, as a heading', () => {
  const headings = [...checksPage().matchAll(/^### (\S+)$/gm)].map((match) => match[1]);
  expect(headings.sort()).toEqual(RULES.map(({ id }) => id).sort());
});
