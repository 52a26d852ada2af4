import { expect, it } from 'vitest';
import { ChangeThrottle } from './change-throttle.ts';

const MINUTE = 60_000;

it('lets the first changes pass, then fewer and fewer, and forgets', () => {
  const damper = new ChangeThrottle({ free: 6, firstMs: MINUTE, capMs: 30 * MINUTE });
  let now = 0;
  const changesWithin = (ms: number): number => {
    let changes = 0;
    for (const end = now + ms; now < end; now += 1_000) {
      if (damper.waitMs(now) > 0) continue;
      damper.changed(now);
      changes += 1;
    }
    return changes;
  };
  expect(changesWithin(30_000)).toBe(6);
  expect(damper.waitMs(now)).toBeGreaterThan(0);
  expect(changesWithin(60 * MINUTE)).toBeLessThanOrEqual(7);
  for (let hours = 0; hours < 5; hours += 1) expect(changesWithin(60 * MINUTE)).toBeLessThanOrEqual(3);
  now += 6 * 60 * MINUTE;
  damper.changed(now);
  expect(damper.waitMs(now)).toBe(0);
});
