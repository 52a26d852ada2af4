import { setTimeout as sleep } from 'node:timers/promises';

/** Far above what anything takes on a quiet machine: one that is busy with other things must not fail a test. */
const LIMIT_MS = 180_000;

/**
 * Looks until there is something: neither undefined nor false.
 *
 * @throws Error naming `what` where there is nothing after three minutes of monotonic time
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (const end = performance.now() + LIMIT_MS; ; await sleep(50)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${LIMIT_MS / 1000} s`);
  }
}
