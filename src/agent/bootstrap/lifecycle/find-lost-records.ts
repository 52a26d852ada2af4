import { SENTINEL } from '../../document/paths.ts';
import { type History, historyOf } from '../../engine/history.ts';
import type { Journal } from '../../engine/journal.ts';
import type { Step } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';

interface Past {
  /** The user data has lost their secrets, which they do after a success only. */
  isWiped: boolean;
  instance: string;
}

interface Lost {
  what: string;
  /** What was under way is not to be taken for done. */
  wasOver: boolean;
}

/**
 * What the journal once knew of this machine. Lines that cannot be read show themselves; of those that are gone only what has
 * come of them tells: user data without their secrets, because the success that has taken them knew how each step ended, and
 * the sentinel of this boot, which is there only once kubeadm's end has been written down.
 */
export async function findLostRecords(
  host: Host,
  { records, lostBytes }: Pick<Journal, 'records' | 'lostBytes'>,
  steps: readonly Step[],
  { isWiped, instance }: Past,
): Promise<Lost | undefined> {
  const history = historyOf(records, instance);
  const isAnnounced = await hasSentinelOnly(host, steps, history);
  if (lostBytes > 0) {
    const what = `${lostBytes} bytes of the journal could not be read`;
    return { what, wasOver: isWiped || isAnnounced || history.open === undefined };
  }
  // An image that was made of a node has the note of that one, and its journal.
  const isOthers = records.some((record) => record.type === 'run.started' && record.instance !== instance);
  if (isOthers) return undefined;
  if (isAnnounced)
    return { what: 'the journal knows nothing of the success that the sentinel shows', wasOver: true };
  if (!isWiped) return undefined;
  const unknown = steps.filter(({ id, digest, when }) => {
    const { ended } = history.step(id, digest);
    // That they cannot be done is no end of theirs: the kubelet may have been too slow for an earlier look.
    return when !== 'every-boot' && (ended === undefined || ended.failure?.code === 'UserDataWiped');
  });
  if (unknown.length === 0) return undefined;
  return {
    what: `the journal knows no more how ${unknown.length} of ${steps.length} steps ended`,
    wasOver: true,
  };
}

/** kubeadm has succeeded in this boot, the journal does not know how it ended, and no agent is about to write that. */
async function hasSentinelOnly(host: Host, steps: readonly Step[], history: History): Promise<boolean> {
  const kubeadm = steps.find(({ id }) => id === 'kubeadm');
  if (kubeadm === undefined) return false;
  const { ended, doneOtherwise } = history.step(kubeadm.id, kubeadm.digest);
  if (ended !== undefined || doneOtherwise) return false;
  if ((await host.files.stat(SENTINEL)) === undefined) return false;
  return !(await kubeadm.isUnderWay?.(host));
}
