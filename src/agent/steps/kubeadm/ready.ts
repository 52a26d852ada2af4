import { formatMs } from '../../../kit/duration.ts';
import { awaitReady } from '../../cluster/await-ready.ts';
import type { Work } from '../kind/step-kind.ts';

/** A node without a network plugin does not become Ready, so this wait is short. */
const LIMIT_MS = 20_000;

/**
 * Watches the Node become Ready, or says why it does not. The sentinel is there already; nothing depends on
 * this step.
 */
export const seeReady: Work<unknown> = () => ({
  onFailure: 'continue',

  async run({ host, signal, remainingMs, finding }) {
    // Below a root directory no kubelet runs.
    if (host.root !== '/') return { done: true };
    const readiness = await awaitReady(host, Math.min(LIMIT_MS, remainingMs()), signal);
    if (readiness.ready) return { done: true, message: `Ready after ${formatMs(readiness.ms)}` };
    await finding({
      severity: 'info',
      code: 'NodeNotReady',
      message: `the Node is not Ready yet: ${readiness.why}`,
    });
    return { done: true, message: `not Ready yet: ${readiness.why}` };
  },
});
