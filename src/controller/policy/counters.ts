import type { TpmCounters } from '../model/node-record.ts';

/** An answer may come behind one that was made later: so long a challenge lives, and as much again for a clock that runs fast. */
const BEHIND_MS = 2 * 60_000;
/** Noting each proof would write each time; what is a minute old is as good to find out that a state is older. */
const NEWS_MS = 60_000;

/** Only of a key in the endorsement hierarchy: in others the TPM disguises them. */
export function countersOf({
  resetCount,
  restartCount,
  clock,
}: {
  resetCount: number;
  restartCount: number;
  clock: bigint;
}): TpmCounters {
  const known = clock > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(clock);
  return { resets: resetCount, restarts: restartCount, clock: known };
}

/**
 * Says how a TPM that showed `before` cannot have come to `now` (threat model 14): each start counts on, and between two starts the
 * clock runs on. Undefined if it can have.
 */
export function counterRegression(before: TpmCounters, now: TpmCounters): string | undefined {
  if (now.resets < before.resets)
    return `it was started ${before.resets} times, and is at ${now.resets} again`;
  if (now.resets > before.resets) return undefined;
  if (now.restarts < before.restarts)
    return `it came back from ${before.restarts} sleeps since its last start, and is at ${now.restarts} again`;
  if (now.restarts > before.restarts || now.clock >= before.clock - BEHIND_MS) return undefined;
  return `its clock is ${Math.round((before.clock - now.clock) / 1000)} seconds behind what it showed since the same start`;
}

/** Is it worth a write? */
export function isCounterUpdate(before: TpmCounters | undefined, now: TpmCounters): boolean {
  return (
    before === undefined ||
    now.resets !== before.resets ||
    now.restarts !== before.restarts ||
    now.clock - before.clock > NEWS_MS
  );
}
