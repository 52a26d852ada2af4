import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('WorkQueue', () => {
  it('works on a key once at a time, urgent ones first, no more than allowed at once', async () => {
    const done: string[] = [];
    let active = 0;
    let most = 0;
    const queue = new WorkQueue(
      async (key) => {
        active += 1;
        most = Math.max(most, active);
        await pause(5);
        active -= 1;
        done.push(key);
      },
      { parallel: 2, failed: () => {} },
    );
    for (const key of ['a', 'b', 'c', 'd', 'c', 'a']) queue.add(key);
    queue.add('urgent', true);
    while (queue.length > 0) await pause(2);
    expect(most).toBe(2);
    expect(done.indexOf('urgent')).toBeLessThan(done.indexOf('d'));
    // `a` was named again while it was worked on, so it was looked at again.
    expect(done.filter((key) => key === 'a')).toHaveLength(2);
    expect(done.filter((key) => key === 'c')).toHaveLength(1);
  });

  it('looks at a key again after the shorter of two waits', async () => {
    const done: string[] = [];
    const queue = new WorkQueue(async (key) => void done.push(key), { parallel: 1, failed: () => {} });
    queue.later('a', 60_000);
    queue.later('a', 10);
    queue.later('a', 50);
    await pause(100);
    expect(done).toEqual(['a']);
    await queue.stop();
  });

  it('tries again what failed, and begins nothing after it was stopped', async () => {
    let tries = 0;
    const failures: number[] = [];
    const queue = new WorkQueue(
      async () => {
        tries += 1;
        if (tries === 1) throw new Error('not yet');
      },
      { parallel: 1, failed: (_, __, ms) => failures.push(ms) },
    );
    queue.add('a');
    for (const end = Date.now() + 2_000; tries < 2 && Date.now() < end; ) await pause(10);
    expect(tries).toBe(2);
    expect(failures[0]).toBeLessThanOrEqual(500);
    await queue.stop();
    queue.add('b');
    await pause(20);
    expect(tries).toBe(2);
  });
});
