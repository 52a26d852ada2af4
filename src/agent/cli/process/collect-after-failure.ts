import { errorMessage } from '../../../kit/errors.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { STATE_DIR, SUPPORT_FILE } from '../../document/paths.ts';
import { writeFallbackOutcome, writeOutcome } from '../../engine/outcome.ts';
import { readOutcome } from '../../engine/read-outcome.ts';
import type { Host } from '../../host/host.ts';
import { version } from './version.ts';

/** All in all it takes no longer than five seconds. */
const LIMIT_MS = 4_500;
const FOR_GOOD: readonly Outcome['result'][] = ['failed', 'deadline-exceeded'];

/**
 * After a verdict that is a failure for good: keeps what support needs, in the place of what an earlier failure left, and
 * tells in the verdict where it is. The verdict stands before, so nobody waits for this; that it fails changes nothing.
 */
export async function collectAfterFailure(host: Host, outcome: Outcome): Promise<void> {
  if (!FOR_GOOD.includes(outcome.result) || host.root !== '/') return;
  try {
    const { collect } = await import('../../collect/collect.ts');
    const { collectPlan } = await import('./collect-plan.ts');
    const more = outcome.mode === 'bootstrap' ? await collectPlan(host) : [];
    const { archive } = await collect(host, { agent: version().version, limitMs: LIMIT_MS, more });
    await host.files.mkdir(STATE_DIR, 0o700);
    await host.files.write(SUPPORT_FILE, archive, { mode: 0o600 });
    // By the name that it has there.
    const support = host.platform === 'windows' ? await host.files.real(SUPPORT_FILE) : SUPPORT_FILE;
    await tellInVerdict(host, { ...outcome, support });
    process.stderr.write(`slipway: for support, without secrets: ${support}\n`);
  } catch (error) {
    process.stderr.write(`slipway: nothing was collected for support: ${errorMessage(error)}\n`);
  }
}

/** Not where another agent has begun, or come to a verdict of its own. */
async function tellInVerdict(host: Host, told: Outcome): Promise<void> {
  const lock = await host.lock('agent');
  if ('heldBy' in lock) return;
  try {
    if ((await readOutcome(host))?.endedAt !== told.endedAt) return;
    await writeOutcome(host, told).catch(() => writeFallbackOutcome(host, told));
  } finally {
    await lock.release();
  }
}
