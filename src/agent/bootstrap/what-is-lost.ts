import { historyOf } from '../engine/history.ts';
import type { Journal } from '../engine/journal.ts';
import type { Step } from '../engine/step.ts';

interface Past {
  /** The user data have lost their secrets, which they do after a success only. */
  isWiped: boolean;
  instance: string;
}

interface Lost {
  what: string;
  /** What was under way is not to be taken for done. */
  wasOver: boolean;
}

/**
 * What the journal once knew of this machine. Lines that cannot be read show themselves; of those that are gone only user data
 * without their secrets tell, because the success that has taken them knew how each step ended.
 */
export function whatIsLost(
  { records, lostBytes }: Pick<Journal, 'records' | 'lostBytes'>,
  steps: readonly Step[],
  { isWiped, instance }: Past,
): Lost | undefined {
  const history = historyOf(records, instance);
  if (lostBytes > 0) {
    const what = `${lostBytes} bytes of the journal could not be read`;
    return { what, wasOver: isWiped || history.open === undefined };
  }
  // An image that was made of a node has the note of that one, and its journal.
  const isOthers = records.some((record) => record.type === 'run.started' && record.instance !== instance);
  if (!isWiped || isOthers) return undefined;
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
