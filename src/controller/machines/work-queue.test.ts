import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeError } from '../kube/kube-error.ts';
import { WorkQueue } from './work-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
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
    await pass(100);
    expect([queue.length, most]).toEqual([0, 2]);
    expect(done.indexOf('urgent')).toBeLessThan(done.indexOf('d'));
    // `a` was named again while it was worked on, so it was looked at again.
    expect(done.filter((key) => key === 'a')).toHaveLength(2);
    expect(done.filter((key) => key === 'c')).toHaveLength(1);
  });

  it('looks at a key again after the shortest of several waits, once', async () => {
    const done: string[] = [];
    const queue = new WorkQueue(async (key) => void done.push(key), { parallel: 1, failed: () => {} });
    queue.later('a', 60_000);
    queue.later('a', 10);
    queue.later('a', 50);
    await pass(9);
    expect(done).toEqual([]);
    await pass(1);
    expect(done).toEqual(['a']);
    await pass(120_000);
    expect(done).toEqual(['a']);
    await queue.stop();
  });

  /** A queue whose work fails with `error` at first. */
  const failing = (error: Error) => {
    const seen = { tries: 0, waits: [] as number[] };
    const queue = new WorkQueue(
      async () => {
        seen.tries += 1;
        if (seen.tries === 1) throw error;
      },
      { parallel: 1, random: () => 0, failed: (_, __, ms) => seen.waits.push(ms) },
    );
    return { queue, seen };
  };

  it('tries again what failed, and begins nothing after it was stopped', async () => {
    const { queue, seen } = failing(new Error('not yet'));
    queue.add('a');
    await pass(499);
    expect(seen).toEqual({ tries: 1, waits: [500] });
    await pass(1);
    expect(seen.tries).toBe(2);
    await queue.stop();
    queue.add('b');
    await pass(60_000);
    expect(seen.tries).toBe(2);
  });

  it('waits as long as the API server asks', async () => {
    const { queue, seen } = failing(new KubeError(429, 'TooManyRequests', 'busy', { retryAfterMs: 7_000 }));
    queue.add('a');
    await pass(7_499);
    expect(seen).toEqual({ tries: 1, waits: [7_500] });
    await pass(1);
    expect(seen.tries).toBe(2);
    await queue.stop();
  });
});
