import { expect, it } from 'vitest';
import { registers } from './read-target.ts';

it('takes lists of registers, each once and in order', () => {
  expect(registers('7,0,4,0')).toEqual([0, 4, 7]);
});

it.each(['', ',', '2,', '0,,4', ' ', '0x1', '1e1', '24', '-1'])('takes %j for no list', (text) => {
  expect(() => registers(text)).toThrow(/is no list of registers/);
});
