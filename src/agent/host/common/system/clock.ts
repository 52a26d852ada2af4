import { readFileSync } from 'node:fs';
import type { Clock } from '../../host.ts';

/** The machine's clock. Processes of one boot agree on `monotonic` to within /proc/uptime's 10 ms. */
export function createClock(): Clock {
  let boot: number | undefined;
  return {
    now: () => new Date(),
    // Only who asks needs /proc, which a root that an image is made of may lack.
    monotonic: () => {
      boot ??= Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000 - elapsedMs();
      return Math.round(boot + elapsedMs());
    },
    sleep: delay,
  };
}

/** Milliseconds of a clock that does not jump. `performance` would cost a millisecond to load. */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Resolves after `ms`, or when `signal` aborts; the one who aborted knows why. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
