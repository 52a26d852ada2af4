import { expect, it } from 'vitest';
import { isSameBoot } from './boot-id.ts';

const noted = { marks: '01DA', uptime: 100, bootedAt: 1_000_000 };

it('is the same boot as long as the marks are, whatever becomes of the clock', () => {
  expect(isSameBoot(noted, { marks: '01DA', uptime: 200, bootedAt: 9_000_000_000 })).toBe(true);
  expect(isSameBoot(noted, { marks: '01DB', uptime: 200, bootedAt: 1_000_000 })).toBe(false);
});

it('is another one where the machine is up for a shorter time than it was', () => {
  expect(isSameBoot(noted, { ...noted, uptime: 20 })).toBe(false);
});

it('goes by the clock where Windows shows no mark', () => {
  const unmarked = { ...noted, marks: '' };
  expect(isSameBoot(unmarked, { ...unmarked, uptime: 200 })).toBe(true);
  expect(isSameBoot(unmarked, { ...unmarked, uptime: 200, bootedAt: 5_000_000 })).toBe(false);
});
