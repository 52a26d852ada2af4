import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks until there is something. The limit is by monotonic time and far above what it takes on a quiet machine.
 *
 * @throws Error naming `what` where there is nothing after ten seconds
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const end = performance.now() + 10_000; ; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within 10 s`);
  }
}
