import { formatMs } from '../../../kit/duration.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';

/** What a record means to somebody who watches; undefined where it means nothing. */
export function describeRecord(record: JournalRecord): string | undefined {
  switch (record.type) {
    case 'sequence.started':
      return describeStart(record);
    case 'step.started':
      return `${record.step} ...${record.attempt > 1 ? ` (attempt ${record.attempt})` : ''}`;
    case 'step.progress':
      return record.fromOutput ? undefined : `${record.step}: ${record.message}`;
    case 'step.ended':
      return describeEnd(record);
    case 'finding':
      return `${record.severity}: ${record.message} [${record.code}]${record.where ? ` (user data ${record.where})` : ''}`;
    case 'sequence.ended':
      if (record.isNodeUnknown)
        return `the user data was applied (${formatMs(record.ms)}); nothing shows whether this machine should become a node`;
      return record.result === 'succeeded'
        ? `the machine is bootstrapped (${formatMs(record.ms)})`
        : `${record.result} after ${formatMs(record.ms)}`;
    case 'journal.repaired':
      return `the end of the journal was damaged; ${record.bytes} bytes were cut off`;
    default:
      return undefined;
  }
}

function describeStart({
  steps,
  resumed,
  ranBefore = 0,
}: Extract<JournalRecord, { type: 'sequence.started' }>): string {
  const ran =
    ranBefore === 0 ? '' : `, ${ranBefore} of ${pluralize(steps.length, 'step')} had their run before`;
  const left = pluralize(steps.length - ranBefore, 'step');
  return resumed ? `going on with ${left} that an earlier run began${ran}` : `${left} to do${ran}`;
}

function describeEnd(record: Extract<JournalRecord, { type: 'step.ended' }>): string {
  const { step, result, ms, message, failure, retryInMs } = record;
  if (result !== 'failed') return `${step} ${result} (${formatMs(ms)})${message ? `: ${message}` : ''}`;
  const again = retryInMs === undefined ? '' : `; next attempt in ${formatMs(retryInMs)}`;
  return `${step} failed (${formatMs(ms)}): ${failure?.cause ?? 'unknown'} [${failure?.code ?? 'InternalError'}]${again}`;
}
