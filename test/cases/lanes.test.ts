import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inLanes } from './lanes.ts';

it('does some at a time in their order, and one more where the processors have time left, up to the most', async () => {
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  let look: (busy: number) => void = () => undefined;
  let watched = true;
  const all = inLanes(
    ['a', 'b', 'c', 'd', 'e', 'f'],
    { usual: 2, most: 4 },
    (name) => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    (each) => {
      look = each;
      return () => {
        watched = false;
      };
    },
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  expect(begun).toEqual(['a', 'b']);
  look(0.95);
  expect(begun).toEqual(['a', 'b']);
  look(0.2);
  expect(begun).toEqual(['a', 'b', 'c']);
  look(0.2);
  look(0.2);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  // Back to the usual number.
  await end('b');
  await end('a');
  expect(begun).toHaveLength(4);
  await end('d');
  expect(begun.slice(4)).toEqual(['e']);
  await end('c');
  await end('e');
  expect(begun.slice(4)).toEqual(['e', 'f']);
  look(0.2);
  await end('f');
  await all;
  expect(watched).toBe(false);
});

it('ends with the error of one', async () => {
  const work = async (name: string) => {
    if (name === 'b') throw new Error('of b');
  };
  await expect(inLanes(['a', 'b'], { usual: 1, most: 1 }, work, () => () => undefined)).rejects.toThrow(
    'of b',
  );
});
