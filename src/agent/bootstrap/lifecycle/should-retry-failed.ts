import type { JournalRecord } from '../../../protocol/journal.ts';
import { lastSuccess } from './last-success.ts';

/** Has a bootstrap begun, and none succeeded since? Then `--again` tries that one again, and loads its user data as a boot does. */
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
