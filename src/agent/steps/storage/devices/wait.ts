import type { Host } from '../../../host/host.ts';

const PAUSE_MS = 250;

/** Asks repeatedly until there is an answer, `ms` have passed, or the step has to stop. */
export async function waitFor<T>(
  host: Host,
  ms: number,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = host.clock.monotonic() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined || signal.aborted || host.clock.monotonic() >= end) return found;
    await host.clock.sleep(PAUSE_MS, signal);
  }
}
