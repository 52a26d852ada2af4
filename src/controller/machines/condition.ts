import { boundedText, printable } from '../../protocol/wire.ts';
import { messageOf } from '../model/message.ts';
import type { Summary } from '../model/summary.ts';
import { CONDITION, type Condition } from './machine.ts';

/** A running bootstrap counts as silent after this time. Its record is written at least every two minutes. */
export const SILENT_MS = 10 * 60_000;

/** No verdict says as much. */
const MAX_MESSAGE_BYTES = 4096;

/** What its condition then says, without the words. */
export const SILENT = 'Unknown Silent';

/**
 * The desired condition of a Machine. Reasons never change, because people alert on them.
 *
 * @param heardMs milliseconds since the last news of it, by a clock that nobody sets
 * @param heardAt the time of that news, for people
 */
export function conditionOf(summary: Summary, heardMs: number, heardAt: number): Condition {
  const message = shown(messageOf(summary, heardMs));
  if (summary.phase === 'Succeeded' && summary.isNodeUnknown)
    return { type: CONDITION, status: 'Unknown', reason: 'NotKnownToMakeANode', message };
  if (summary.phase === 'Succeeded')
    return { type: CONDITION, status: 'True', reason: 'Bootstrapped', message };
  if (summary.phase === 'Failed' || summary.phase === 'Lost') {
    return { type: CONDITION, status: 'False', reason: summary.failure?.code ?? 'Unclassified', message };
  }
  if (summary.phase === 'Running' && heardMs > SILENT_MS) {
    const since = new Date(heardAt).toISOString().replace(/\.\d+/, '');
    return {
      type: CONDITION,
      status: 'Unknown',
      reason: 'Silent',
      // The words must not change with time, or the condition would be written again and again.
      message: shown(
        `Nothing was heard from the machine since ${since}. ${messageOf(summary)} Look at its console, and whether it reaches the controller.`,
      ),
    };
  }
  return { type: CONDITION, status: 'Unknown', reason: reasonOf(summary), message };
}

/** An older controller stored what it was told without cleaning it. */
function shown(message: string): string {
  return boundedText(printable(message), MAX_MESSAGE_BYTES);
}

function reasonOf({ phase, failure }: Summary): string {
  if (phase === 'Running') return failure ? 'Retrying' : 'Running';
  return phase;
}
