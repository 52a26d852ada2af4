import { expect, it } from 'vitest';
import { codes } from './codes.ts';
import type { CodeEntry } from './entry.ts';

const rows: [string, CodeEntry][] = Object.entries(codes());
const partsOf = ({ meaning, impact, fix, check, cure }: CodeEntry) => ({
  meaning,
  impact,
  fix,
  check,
  why: cure.why,
});

/** The longest that a part may be, in characters: `meaning` and `fix` also go into conditions, whose readers see one line. */
const LONGEST = { meaning: 200, impact: 160, fix: 400, check: 220, why: 160 };

it.each(rows)('%s has all parts in whole sentences of bounded length', (code, row) => {
  expect(code).toMatch(/^(?:A(?=[A-Z])|[A-Z][a-z0-9]+)+$/);
  for (const [name, text] of Object.entries(partsOf(row))) {
    expect(text, name).toMatch(/^[A-Za-z].*\.$/);
    expect(text, name).not.toMatch(/ {2}|\.\.|\n/);
    expect(text.length, name).toBeLessThanOrEqual(LONGEST[name as keyof typeof LONGEST]);
  }
  expect(row.fix).toMatch(/^[A-Z]/);
  expect(row.check).toMatch(/^[A-Z].*: .*\.$/);
});

it('no code repeats a text within itself, nor the meaning, fix, check or reason of another code', () => {
  const seen = new Map<string, string>();
  const repeated = rows.flatMap(([code, row]) => {
    const { impact, ...others } = partsOf(row);
    const own = Object.values(others);
    const again = own.filter((text) => seen.has(text)).map((text) => `${code} = ${seen.get(text)}: ${text}`);
    for (const text of own) seen.set(text, code);
    return own.includes(impact) ? [...again, `${code}: ${impact}`] : again;
  });
  expect(repeated).toEqual([]);
});

it('a finding is never said to stop Slipway, and a permanent code never to be retried', () => {
  const wrong = rows.filter(([, { impact, onlyFinding, persistence }]) =>
    onlyFinding
      ? /stops|retries/.test(impact)
      : persistence === 'permanent'
        ? /Slipway retries|Slipway checks again/.test(impact)
        : /stops at once/.test(impact),
  );
  expect(wrong.map(([code, { impact }]) => `${code}: ${impact}`)).toEqual([]);
});
