import { type Code, codes } from '../../protocol/codes/codes.ts';
import { boundedText, printable } from '../../protocol/wire.ts';
import { messageOf } from '../model/message.ts';
import type { Summary } from '../model/summary.ts';
import { CONDITION, type Condition } from './machine.ts';

/** A running bootstrap counts as silent after this time. Its record is written at least every two minutes. */
export const SILENT_MS = 10 * 60_000;

/** No verdict says as much. */
const MAX_MESSAGE_BYTES = 4096;

/** The reason of a success with which nothing is amiss. */
export const BOOTSTRAPPED = 'Bootstrapped';

/** What its condition then says, without the words. */
export const SILENT = 'Unknown Silent';

/**
 * The desired condition of a Machine. Reasons never change, because people alert on them.
 *
 * @param providerID of the Machine
 * @param heardMs milliseconds since the last news of it, by a clock that nobody sets
 * @param heardAt the time of that news, for people
 */
export function conditionOf(
  summary: Summary,
  heardMs: number,
  heardAt: number,
  providerID?: string,
): Condition {
  const message = shown(messageOf(summary, heardMs));
  if (summary.phase === 'Succeeded' && summary.isNodeUnknown)
    return { type: CONDITION, status: 'Unknown', reason: 'NotKnownToMakeANode', message };
  if (summary.phase === 'Succeeded') {
    const concern = mismatch(summary, providerID) ?? summary.concern;
    return concern === undefined
      ? { type: CONDITION, status: 'True', reason: BOOTSTRAPPED, message }
      : {
          ...{ type: CONDITION, status: 'True', reason: concern.code },
          message: shown(
            `${messageOf(summary)} ${sentence(concern.message)} ${remedyOf(concern.code)}`.trim(),
          ),
        };
  }
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

/**
 * Cluster API finds a Machine's Node by its provider ID, and waits for ever where the two differ. Where one of them has none yet,
 * nothing is known.
 */
function mismatch({ node }: Summary, providerID: string | undefined): Summary['concern'] {
  if (!node?.providerID || !providerID || node.providerID === providerID) return undefined;
  const message = `Its Node "${node.name}" has the provider ID "${node.providerID}", and this Machine has "${providerID}": Cluster API finds no Node for it.`;
  return { code: 'ProviderIdMismatch' satisfies Code, message };
}

/** A finding is half a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Of a code that a newer agent told, nothing. */
function remedyOf(code: string): string {
  return Object.hasOwn(codes(), code) ? codes()[code as Code].fix : '';
}

/** An older controller stored what it was told without cleaning it. */
function shown(message: string): string {
  return boundedText(printable(message), MAX_MESSAGE_BYTES);
}

function reasonOf({ phase, failure }: Summary): string {
  // Why the last attempt failed, while another one is made.
  if (phase === 'Running') return failure?.code ?? 'Running';
  return phase;
}
