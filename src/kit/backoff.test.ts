import { describe, expect, it } from 'vitest';
import { backoffMs, waitMs } from './backoff.ts';

const figures = { baseMs: 500, capMs: 30_000 };
const most = () => 0;
const least = () => 1 - Number.EPSILON;

describe('a wait before the next attempt', () => {
  it('may be twice as long each time, up to the cap, and is never nothing', () => {
    const longest = [1, 2, 3, 7, 1000].map((attempt) => backoffMs(attempt, figures, most));
    expect(longest).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
    expect(backoffMs(3, figures, least)).toBe(1);
  });

  it('is what the server asked for and a little more, the same for nobody', () => {
    expect(waitMs(1, figures, most, undefined)).toBe(500);
    expect(waitMs(1, figures, least, 5_000)).toBe(5_001);
    expect(waitMs(9, figures, most, 5_000)).toBe(10_000);
    expect(waitMs(1, figures, most, 0)).toBe(500);
  });

  it('is ten minutes and a little at most, whatever the server asked for', () => {
    expect(waitMs(1, figures, most, 86_400_000)).toBe(600_500);
  });
});
