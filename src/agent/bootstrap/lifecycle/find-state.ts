import type { Failure, JournalRecord } from '../../../protocol/journal.ts';
import type { Document } from '../../document/document.ts';
import { failure } from '../../engine/failure.ts';
import { historyOf } from '../../engine/history.ts';
import { lastInstance, notedSeed, seedDigest } from '../../engine/last-instance.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import { areWiped } from '../../engine/wiped-note.ts';
import { type Host, HostError } from '../../host/host.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { planDigest } from '../../steps/plan.ts';
import { type Changes, changesOf } from './changes.ts';
import { isHalfDone, type LastSuccess, lastSuccess } from './last-success.ts';
import type { State } from './lifecycle.ts';
import { isShim, shouldRetryFailed } from './should-retry-failed.ts';
import { isOfEveryBoot } from './why-not-repeated.ts';

/** What a start finds, with what the journal says of it. */
type Found = { last: LastSuccess } & (
  | ({ state: 'same' | 'changed' | 'resumable' } & Changes)
  | { state: Exclude<State, 'same' | 'changed' | 'resumable' | NoSuccess> }
);

/** States that a machine is in whether or not a bootstrap has succeeded on it. */
type NoSuccess = 'unusable' | 'cut-off' | 'failed' | 'shim-only' | 'untouched';

/**
 * What this machine is for user data that can be acted upon. Changes nothing.
 *
 * @param instance The instance that the start is for
 * @throws HostError if the disk cannot be read
 */
export async function findState(
  host: Host,
  records: readonly JournalRecord[],
  { isWiped }: Pick<Document, 'isWiped'>,
  planned: readonly PlannedStep[],
  instance: string,
): Promise<Found | { state: NoSuccess }> {
  const last = lastSuccess(records);
  if (shouldRetryFailed(records) && last?.instance !== instance)
    return { state: isOpen(records) ? 'cut-off' : 'failed' };
  if (last === undefined) return { state: isShim(records) ? 'shim-only' : 'untouched' };
  if (isWiped) return { state: 'wiped', last };
  if (last.instance !== instance) return { state: 'other-instance', last };
  const isJoined = await isStillJoined(host, 'join');
  if (!isJoined && last.steps.some(({ id }) => id === 'kubeadm')) return { state: 'node-gone', last };
  const found = changesOf(planned, records, last);
  const { open } = historyOf(records, instance);
  const isSame = found.changes.every(({ what }) => what === 'same') && found.gone.length === 0;
  if (isSame && open === undefined) return { state: 'same', last, ...found };
  const isChanged = found.changes.some(({ step, what }) => what !== 'same' && !isOfEveryBoot(step));
  const isCutOff = open?.digest === planDigest(planned) || isHalfDone(records, last);
  return { state: isChanged && isJoined && !isCutOff ? 'changed' : 'resumable', last, ...found };
}

/** The same for user data that cannot be acted upon. */
export async function findStateUnusable(
  host: Host,
  instance: string,
): Promise<{ state: 'unusable' } | { state: 'unusable-on-node'; last: LastSuccess }> {
  const records = await recordsOf(host).catch(noneIfUnreadable);
  const last = lastSuccess(records);
  const isNode =
    last?.instance === instance &&
    last.steps.some(({ id }) => MAKES_NODE.includes(id)) &&
    // The machine may be another one since, or was begun as one.
    records.findLast((record) => record.type === 'run.started')?.instance === instance &&
    !isHalfDone(records, last) &&
    (await isStillJoined(host, 'join'));
  return isNode ? { state: 'unusable-on-node', last } : { state: 'unusable' };
}

/** Steps that make a node, or see that there is one. */
const MAKES_NODE = ['kubeadm', 'node'];

const isOpen = (records: readonly JournalRecord[]): boolean =>
  records.findLast(({ type }) => type === 'sequence.started' || type === 'sequence.ended')?.type ===
  'sequence.started';

/** An agent that cannot read the journal knows of no success, so the verdict on the user data stands. */
function noneIfUnreadable(error: unknown): readonly JournalRecord[] {
  if (!(error instanceof HostError)) throw error;
  return [];
}

/**
 * Why a node reads nothing of the user data that a boot finds on a volume: they are others than those that made it a node. A pod
 * that has a volume of its own, as a block device, can label it as seeds are labelled, and whatever is told there is done as root.
 *
 * @param found What a source gave with the help of a volume
 * @returns undefined where they are the same, where the machine is no node, and where an older version noted nothing of them
 */
export async function foreignSeed(
  host: Host,
  found: { readonly source: string; readonly userData: Uint8Array; readonly volumeSays?: Uint8Array },
): Promise<Failure | undefined> {
  const noted = await notedSeed(host);
  if (noted === undefined || noted === seedDigest(found.volumeSays ?? found.userData)) return undefined;
  // A volume may lead to user data on this machine's disk, which lose their secrets upon success.
  if (noted !== null && (await areWiped(host, found.userData))) return undefined;
  if ((await findStateUnusable(host, await lastInstance(host))).state === 'unusable') return undefined;
  const before = noted === null ? 'came on no volume' : 'were others';
  const cause = `They are of ${found.source}, and those that made this machine a node ${before}. A volume of anybody can have that label; slipway bootstrap --again takes it.`;
  return failure('UserDataNotFound', cause);
}
