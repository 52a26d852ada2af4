import type { Failure, JournalRecord } from '../../../protocol/journal.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import { type Host, HostError } from '../../host/host.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';
import type { Deferred } from './defer-changes.ts';
import { keptStep } from './kept-step.ts';
import { isHalfDone, lastSuccess } from './last-success.ts';

/**
 * A node that works stays one whatever is wrong with the user data that its machine has now: all of the last success
 * counts as done, and nothing is begun.
 *
 * @param wrong Why nothing of them can be acted upon
 * @returns undefined where the machine is no node of this instance; then the failure is the verdict
 */
export async function keepExistingNode(
  host: Host,
  instance: string,
  wrong: Failure,
): Promise<Deferred | undefined> {
  const records = await recordsOf(host).catch(noneIfUnreadable);
  const last = lastSuccess(records);
  if (last?.instance !== instance || !last.steps.some(({ id }) => MAKES_NODE.includes(id))) return undefined;
  // The machine is another one since, or was begun as one.
  if (records.findLast((record) => record.type === 'run.started')?.instance !== instance) return undefined;
  if (isHalfDone(records, last) || !(await looksJoined(host, 'join'))) return undefined;
  const message = `The user data that this machine has now were not acted upon: ${wrong.cause} It is a node, and was left as it is (${wrong.code}).`;
  return {
    steps: last.steps.map((outline) => keptStep(outline)),
    findings: [{ severity: 'warning', code: 'NodeLeftAsItIs', message }],
  };
}

/** Steps that make a node, or see that there is one. */
const MAKES_NODE = ['kubeadm', 'node'];

/** An agent that cannot read the journal knows of no success, so the verdict on the user data stands. */
function noneIfUnreadable(error: unknown): readonly JournalRecord[] {
  if (!(error instanceof HostError)) throw error;
  return [];
}
