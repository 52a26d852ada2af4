import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { draw, PICTURES, picture, pictureOf, recordOf } from './picture.ts';

it.each(PICTURES)('%s.svg is drawn from its record (npm run node -- build/docs/picture.ts)', (name) => {
  expect(readFileSync(pictureOf(name), 'utf8')).toBe(draw(name));
});

it.each(PICTURES)('%s.svg shows every line of its record', (name) => {
  const drawn = [...draw(name).matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, line = '']) =>
    line
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
  const record = readFileSync(recordOf(name), 'utf8');
  expect(drawn).toEqual(stripVTControlCharacters(record).trimEnd().split('\n'));
});

it('keeps colours and columns, and escapes markup', () => {
  expect(picture('\u001b[32mok\u001b[0m & <b>\n', 'a "test"')).toContain(
    'fill="#3fb950">ok</tspan><tspan x="36.8" textLength="50.4"> &amp; &lt;b&gt;</tspan>',
  );
});
