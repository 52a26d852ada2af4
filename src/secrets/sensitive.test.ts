import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { sensitive } from './sensitive.ts';

const word = 'abcdef.0123456789abcdef';

test.each([
  ['template literal', (s: object) => `${s}`],
  ['concatenation', (s: object) => `token ${String(s)}`],
  ['JSON', (s: object) => JSON.stringify({ deep: [s] })],
  ['inspect with everything on', (s: object) => inspect({ s }, { showHidden: true, depth: null })],
  ['console format', (s: object) => format('%s %o %j', s, s, s)],
  ['spread', (s: object) => JSON.stringify({ ...s })],
  ['own keys', (s: object) => Reflect.ownKeys(s).join()],
])('%s does not show the value', (_name, show) => {
  expect(show(sensitive(word))).not.toContain(word);
});

test('reveal gives the value', () => {
  expect(sensitive(word).reveal()).toBe(word);
});
