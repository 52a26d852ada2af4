import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../host.ts';

/** The machine's clock; `monotonic` agrees between processes of one boot to within /proc/uptime's 10 ms. */
export function createClock(): Clock {
  const bootMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  const start = performance.now();
  return {
    now: () => new Date(),
    monotonic: () => Math.round(bootMs + performance.now() - start),
    async sleep(ms, signal) {
      try {
        await delay(ms, undefined, signal ? { signal } : {});
      } catch (error) {
        // An aborted sleep just ends early; whoever aborted knows why.
        if (!signal?.aborted) throw error;
      }
    },
  };
}
