import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Document } from '../../document/document.ts';
import { historyOf } from '../../engine/history.ts';
import type { Host } from '../../host/host.ts';
import { stepsForPlatform } from '../../steps/preview.ts';
import { plan } from '../../steps/plan.ts';
import type { Change } from './changes.ts';
import { lastSuccess } from './last-success.ts';

/**
 * Has a bootstrap begun, and none succeeded since? Then `--again` is another try of that one: what has failed is run anew, also
 * a command, and what has not been run follows.
 */
export function shouldRetryFailed(records: readonly JournalRecord[]): boolean {
  const reset = records.findLastIndex(({ type }) => type === 'node.reset');
  const since = records.slice(reset + 1);
  const run = since.findLast((record) => record.type === 'run.started');
  const hasBegun = since.some(({ type }) => type === 'sequence.started');
  return hasBegun && !isShim(records) && lastSuccess(since)?.instance !== run?.instance;
}

/** Was the last run a call of kubeadm? Then somebody else runs the commands around it. */
export function isShim(records: readonly JournalRecord[]): boolean {
  return records.findLast((record) => record.type === 'run.started')?.mode === 'shim';
}

/** What that try does, for `plan --again`. */
export async function planRetry(
  host: Host,
  document: Document,
  records: readonly JournalRecord[],
): Promise<readonly Change[]> {
  const { instance = '' } = records.findLast((record) => record.type === 'run.started') ?? {};
  const history = historyOf(records, document.instance.id ?? instance);
  const planned = stepsForPlatform(host, plan(document));
  return planned.map((step): Change => {
    const { ended, superseded } = history.step(step.id, step.digest);
    if (ended === undefined || superseded) return { step, what: 'new' };
    return { step, what: ended.result === 'done' ? 'same' : 'failed' };
  });
}
