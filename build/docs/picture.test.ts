import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { PICTURE, picture, RECORD } from './picture.ts';

const record = readFileSync(RECORD, 'utf8');

it('is drawn from the recorded text (npm run node -- build/docs/picture.ts draws it anew)', () => {
  expect(readFileSync(PICTURE, 'utf8')).toBe(picture(record));
});

it('shows every line of the text, with its colours', () => {
  const drawn = [...picture(record).matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, line = '']) =>
    line.replace(/<[^>]*>/g, ''),
  );
  expect(drawn).toEqual(['$ slipway status', ...stripVTControlCharacters(record).trimEnd().split('\n')]);
  expect(picture('\u001b[32mok\u001b[0m & <b>\n')).toContain(
    'fill="#3fb950">ok</tspan><tspan x="36.8" textLength="50.4"> &amp; &lt;b&gt;</tspan>',
  );
});
