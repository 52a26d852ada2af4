import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

const limits = { bytes: { burst: 10_000, perSecond: 1_000 }, workMs: { burst: 100, perSecond: 10 } };

describe('the pace at which an API server is read', () => {
  it('takes a burst, then so many bytes in a second, small pieces being dear', () => {
    let now = 0;
    const pace = new Pace(limits, () => now);
    expect(pace.take(10_000)).toBe(0);
    expect(pace.take(1_000)).toBe(1_000);
    now += 1_000;
    expect(pace.take(0)).toBe(512);
    now += 3_600_000;
    expect(pace.take(10_000)).toBe(0);
  });

  it('lets so much work be made of it', () => {
    let now = 0;
    const pace = new Pace(limits, () => now);
    expect(pace.take(1, 100)).toBe(0);
    expect(pace.take(1, 5)).toBe(500);
    now += 10_500;
    expect(pace.take(1, 100)).toBe(0);
  });

  it('holds back an endless stream, in pieces after which others have their turn', async () => {
    const chunk = new Uint8Array(64 * 1024);
    let pulled = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pulled += chunk.length;
        yield chunk;
      }
    }
    const pace = new Pace({ bytes: { burst: 1024 * 1024, perSecond: 256 * 1024 }, workMs: limits.workMs });
    const end = new AbortController();
    let largest = 0;
    let turns = 0;
    const others = setInterval(() => (turns += 1), 10);
    setTimeout(() => end.abort(), 500);
    const read = async (): Promise<void> => {
      for await (const piece of pace.of(endless(), end.signal)) largest = Math.max(largest, piece.length);
    };
    await expect(read()).rejects.toThrow(/abort/);
    clearInterval(others);
    expect(largest).toBeLessThanOrEqual(4096);
    expect(pulled).toBeLessThan(1.5 * 1024 * 1024);
    expect(turns).toBeGreaterThan(10);
  });
});
