import { expect, it } from 'vitest';
import { isSameBoot } from './boot-id.ts';

const noted = { counter: '41', shutdown: '01DA', uptime: 100, bootedAt: 1_000_000 };
const { counter, ...uncounted } = noted;

it('is the same boot as long as it is counted the same, whatever becomes of the clock', () => {
  expect(isSameBoot(noted, { ...noted, uptime: 200, bootedAt: 9_000_000_000 })).toBe(true);
  expect(isSameBoot(noted, { ...noted, uptime: 200, counter: `${Number(counter) + 1}` })).toBe(false);
});

it('is another one where the machine was shut down, or is up for a shorter time than it was', () => {
  expect(isSameBoot(uncounted, { ...uncounted, uptime: 200, shutdown: '01DB' })).toBe(false);
  expect(isSameBoot(noted, { ...noted, uptime: 20 })).toBe(false);
});

it('is another one after a power loss, which leaves the mark of the last shutdown as it was', () => {
  expect(isSameBoot(uncounted, { ...uncounted, uptime: 200 })).toBe(true);
  expect(isSameBoot(uncounted, { ...uncounted, uptime: 200, bootedAt: 1_600_000 })).toBe(false);
});

it('bears a mark that comes or goes', () => {
  expect(isSameBoot(noted, { ...uncounted, uptime: 200 })).toBe(true);
  expect(isSameBoot({ uptime: 100, bootedAt: 1_000_000 }, { ...noted, uptime: 200 })).toBe(true);
});
