import { expect, it } from 'vitest';
import { parseUnit } from './unit-file.ts';

it('reads sections, settings, comments and lines that go on', () => {
  const text =
    '# c\\\n[Unit]\nno section yet\n[Unit]\n; x\nDescription = a b \nAfter=a \\\n b\n\n[Install]\nWantedBy=x';
  expect(parseUnit(text)).toEqual({
    sections: ['Unit', 'Install'],
    options: [
      { section: 'Unit', name: 'Description', value: 'a b' },
      { section: 'Unit', name: 'After', value: 'a \\\n b' },
      { section: 'Install', name: 'WantedBy', value: 'x' },
    ],
  });
});

it.each([
  ['[Unit', /no "\]"/],
  ['[Unit] x\n', /after/],
  ['[Unit]\nfoo\n', /no "="/],
  [`[Unit]\nA=${'x'.repeat(3000)}`, /2048/],
])('says what is wrong with %j', (text, problem) => {
  expect(parseUnit(text).problem).toMatch(problem);
});
