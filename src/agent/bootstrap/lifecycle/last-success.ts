import type { JournalRecord, StepOutline } from '../../../protocol/journal.ts';
import { isSuccess } from '../../engine/history.ts';
import type { Step } from '../../engine/step.ts';
import { putSentinels } from '../../steps/sentinel/write-sentinel.ts';

/** The last sequence that succeeded on this machine. */
export interface LastSuccess {
  /** The instance that it ran for. */
  instance: string;
  steps: readonly StepOutline[];
  /** Where its verdict stands in the journal. */
  seq: number;
}

/** Undefined where none has, or where the node was reset since. */
export function lastSuccess(records: readonly JournalRecord[]): LastSuccess | undefined {
  let instance = '';
  let steps: readonly StepOutline[] = [];
  let last: LastSuccess | undefined;
  for (const record of records) {
    if (record.type === 'run.started') instance = record.instance;
    else if (record.type === 'sequence.started') steps = record.steps;
    else if (record.type === 'sequence.ended' && isSuccess(record))
      last = { instance, steps, seq: record.seq };
    else if (record.type === 'node.reset') last = undefined;
  }
  return last;
}

/** Has kubeadm begun anew since, and not succeeded? What it left may look like a node, and be half of one. */
export function isHalfDone(records: readonly JournalRecord[], { seq }: LastSuccess): boolean {
  const last = records.findLast(
    (record) => (record.type === 'step.started' || record.type === 'step.ended') && record.step === 'kubeadm',
  );
  return last !== undefined && last.seq > seq && !(last.type === 'step.ended' && last.result === 'done');
}

/** The step of the last success, which the journal knows as done; what a reboot takes of it from /run is still put back. */
export function keptStep({ id, title, digest }: StepOutline, step: Partial<Step> = {}): Step {
  const settled = step.settled ?? (id === 'sentinel' ? putBack : undefined);
  const run: Step['run'] = async () => ({ done: true, message: 'left as it is' });
  return { id, title, digest, run, ...(settled ? { settled } : {}) };
}

const putBack: Step['settled'] = (host) => putSentinels(host);
