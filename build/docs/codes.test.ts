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

it('is wrapped, and its index links to every code', () => {
  const page = codesPage();
  expect(page.split('\n').filter((line) => line.length > 120)).toEqual([]);
  expect([...page.matchAll(/^\| \[(\w+)\]\(#\w+\) \|/gm)].map((match) => match[1]).sort()).toEqual(
    Object.keys(codes()).sort(),
  );
});

it('shows the four parts and who cures it for every code', () => {
  for (const title of [
    'Meaning',
    'Impact',
    'How to fix it',
    'How to check that it is fixed',
    'Cured by [a-z ]+',
  ])
    expect(codesPage().match(new RegExp(`^- \\*\\*${title}:\\*\\* `, 'gm'))).toHaveLength(
      Object.keys(codes()).length,
    );
});
