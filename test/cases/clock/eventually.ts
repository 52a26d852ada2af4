import { setTimeout as sleep } from 'node:timers/promises';

/** For what is waited for before anything is measured, on a machine that is busy. */
export const PATIENTLY_MS = 120_000;

/**
 * Looks until there is something. The limit is by monotonic time and far above what it takes on a quiet machine.
 *
 * @throws Error naming `what` where there is nothing by then
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000,
): Promise<T> {
  for (const end = performance.now() + limitMs; ; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${limitMs / 1000} s`);
  }
}

/** A connection that broke is tried again, as a machine does; what the other end has said is not. @throws Error */
export function forgiven(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
}
