import { expect, it } from 'vitest';
import type { ParsedRequest } from './examine.ts';
import { RequestScheduler } from './request-scheduler.ts';

const asked = (name: string, madeAt: number, more: Partial<ParsedRequest> = {}): ParsedRequest => ({
  ...{
    name,
    uid: name,
    version: '1',
    madeAt,
    use: 'client',
    node: 'n1',
    by: 'node',
    names: [],
    keyDigest: '',
  },
  ...more,
});

it('is the turn of the newest request of a node, and of no other while one is not signed', () => {
  const turns = new RequestScheduler();
  const [old, young] = [asked('a', 1_000), asked('b', 2_000)];
  for (const one of [old, young]) turns.put(one, false);
  expect(turns.whyNot(old)).toMatch(/asked again since: b/);
  expect(turns.whyNot(young)).toBeUndefined();
  turns.approved(young);
  const next = asked('c', 3_000);
  turns.put(next, false);
  expect(turns.whyNot(next)).toMatch(/b of the same node is approved and not signed/);
  expect(turns.whyNot(asked('d', 1_000, { use: 'serving' }))).toBeUndefined();
  expect(turns.whyNot(asked('d', 1_000, { node: 'n2' }))).toBeUndefined();
  // Somebody's token asked after the node itself.
  expect(turns.whyNot(asked('d', 1_000, { by: 'bootstrap' }))).toBeUndefined();
  turns.remove(young);
  expect(turns.whyNot(next)).toBeUndefined();
  turns.remove(next);
  expect(turns.whyNot(old)).toMatch(/and was answered/);
});

it('lets nobody hold up a proved key by asking on and on with others', () => {
  const turns = new RequestScheduler();
  const proved = asked('a', 1_000, { keyDigest: 'proved' });
  for (let at = 0; at < 9; at += 1) turns.put(asked(`x${at}`, 2_000 + at, { keyDigest: `x${at}` }), false);
  turns.put(proved, false);
  expect(turns.whyNot(proved)).toMatch(/asked again since/);
  expect(turns.whyNot(proved, true)).toBeUndefined();
  // The machine itself has asked again with it.
  turns.put(asked('b', 3_000, { keyDigest: 'proved' }), false);
  expect(turns.whyNot(proved, true)).toMatch(/asked again since: b/);
});

it('lets one of two that were made at once go first', () => {
  const turns = new RequestScheduler();
  const two = [asked('a', 1_000), asked('b', 1_000)] as const;
  for (const one of two) turns.put(one, false);
  expect(two.map((one) => turns.whyNot(one) === undefined)).toEqual([false, true]);
});

it('gives a bootstrap token one certificate in a minute, and a node ten and then a few', () => {
  let now = 0;
  const turns = new RequestScheduler(() => now);
  const bootstrap = (name: string) => asked(name, 1_000, { by: 'bootstrap' });
  turns.approved(bootstrap('a'));
  turns.remove(bootstrap('a'));
  expect(turns.whyNot(bootstrap('b'))).toMatch(/a moment ago/);
  // The node with that certificate may ask at once.
  expect(turns.whyNot(asked('c', 1_000))).toBeUndefined();
  now += 60_000;
  expect(turns.whyNot(bootstrap('b'))).toBeUndefined();
  for (let at = 0; at < 10; at += 1) {
    const one = asked(`r${at}`, 2_000 + at);
    expect(turns.whyNot(one)).toBeUndefined();
    turns.approved(one);
    turns.remove(one);
  }
  expect(turns.whyNot(asked('r', 3_000))).toMatch(/a moment ago/);
  now += 600_000;
  expect(turns.whyNot(asked('r', 3_000))).toBeUndefined();
});
