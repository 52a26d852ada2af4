import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { HandshakeBudget } from './handshake-budget.ts';

let done: string[];
let dropped: string[];
let spent = 0;
beforeEach(() => {
  [done, dropped, spent] = [[], [], 0];
});

function turnsOf(limits: { msPerSecond: number; burstMs: number; mostWaiting: number }) {
  const turns = new HandshakeBudget(limits, undefined, () => spent);
  const ask = (address: string, ms: number): void =>
    turns.take(
      address,
      () => {
        spent += ms;
        done.push(address);
      },
      () => dropped.push(address),
    );
  return { ask };
}

async function until(count: number): Promise<void> {
  const end = performance.now() + 10_000;
  while (done.length < count && performance.now() < end) await sleep(2);
}

it('serves everybody at once while there is time left', () => {
  const { ask } = turnsOf({ msPerSecond: 100, burstMs: 50, mostWaiting: 10 });
  for (let at = 0; at < 10; at += 1) ask(`a${at}`, 2);
  expect(done).toHaveLength(10);
});

it('lets all of them together take no more of the thread than their share', async () => {
  const { ask } = turnsOf({ msPerSecond: 200, burstMs: 20, mostWaiting: 1_000 });
  const began = performance.now();
  for (let at = 0; at < 20; at += 1) ask(`a${at}`, 10);
  await until(20);
  const seconds = (performance.now() - began) / 1_000;
  expect(done).toHaveLength(20);
  // The last one may begin in the last moment that there is time.
  expect(spent).toBeLessThanOrEqual(20 + 10 + 200 * seconds);
  expect(seconds).toBeGreaterThan(0.8);
});

it('takes the address first that has cost least, however many others came before', async () => {
  const { ask } = turnsOf({ msPerSecond: 1_000, burstMs: 30, mostWaiting: 1_000 });
  for (let at = 0; at < 12; at += 1) ask('hostile', 30);
  ask('honest', 1);
  await until(13);
  // The first one is served at once, and is what the others wait for.
  expect(done.indexOf('honest')).toBeLessThanOrEqual(2);
  expect(done).toHaveLength(13);
});

it('sends away the newest of the address that has cost most where too many wait', async () => {
  const { ask } = turnsOf({ msPerSecond: 1_000, burstMs: 30, mostWaiting: 3 });
  ask('hostile', 60);
  for (let at = 0; at < 3; at += 1) ask('hostile', 1);
  ask('honest', 1);
  expect(dropped).toEqual(['hostile']);
  await until(4);
  expect(done).toEqual(['hostile', 'honest', 'hostile', 'hostile']);
});

it('goes on after a step that failed', async () => {
  const turns = new HandshakeBudget(
    { msPerSecond: 1_000, burstMs: 1, mostWaiting: 3 },
    undefined,
    () => spent,
  );
  const fails = (): void => {
    spent += 1;
    throw new Error('a fault');
  };
  expect(() => turns.take('a', fails, () => {})).toThrow(/a fault/);
  turns.take(
    'a',
    () => done.push('a'),
    () => {},
  );
  await until(1);
  expect(done).toEqual(['a']);
});
