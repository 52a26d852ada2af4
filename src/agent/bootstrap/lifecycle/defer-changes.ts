import { counted } from '../../../kit/counted.ts';
import type { Finding, JournalRecord } from '../../../protocol/journal.ts';
import { historyOf } from '../../engine/history.ts';
import type { Step } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { planDigest } from '../../steps/plan.ts';
import { type Change, changesOf } from './changes.ts';
import { keptStep } from './kept-step.ts';
import { isHalfDone, lastSuccess } from './last-success.ts';

/** What a boot does of user data that have changed since the machine became a node. */
export interface Deferred {
  steps: Step[];
  findings: Omit<Finding, 'type'>[];
}

/**
 * `network` follows the configuration at every boot, as slipway-network.service does; `node` and `ready` only look, and
 * `sentinel` only writes what is not there.
 */
const FOLLOWED = ['network', 'node', 'ready', 'sentinel'];

/**
 * A boot changes nothing of a node that works: like cloud-init, which does what belongs to an instance once, it leaves what is
 * new or changed in the user data to `bootstrap --again`. Commands of every boot, and the network, are as the user data are now.
 *
 * @param planned The plan of these user data, whose `steps` are the same for the engine
 * @returns undefined where nothing is to be left: the machine is no node of theirs, or they are as they were
 */
export async function deferChanges(
  host: Host,
  planned: readonly PlannedStep[],
  steps: readonly Step[],
  records: readonly JournalRecord[],
  instance: string,
): Promise<Deferred | undefined> {
  const last = lastSuccess(records);
  if (last?.instance !== instance || isHalfDone(records, last)) return undefined;
  // What was asked for by --again and cut off goes on.
  if (historyOf(records, instance).open?.digest === planDigest(planned)) return undefined;
  const followed = new Set(steps.filter(isFollowed).map(({ id }) => id));
  const { changes } = changesOf(planned, records, last);
  const others = changes.filter(({ step, what }) => what !== 'same' && !followed.has(step.id));
  if (others.length === 0 || !(await looksJoined(host, 'join'))) return undefined;
  const before = new Map(last.steps.map((outline) => [outline.id, outline]));
  const left = new Set(others.map(({ step }) => step.id));
  const present = steps.flatMap((step) => {
    const outline = before.get(step.id);
    if (!left.has(step.id)) return [step];
    return outline ? [keptStep(outline, step)] : [];
  });
  const ids = new Set(steps.map(({ id }) => id));
  const gone = last.steps.filter(({ id }) => !ids.has(id)).map((outline) => keptStep(outline));
  return { steps: [...present, ...gone], findings: told(others) };
}

const isFollowed = ({ id, when }: Step): boolean => when === 'every-boot' || FOLLOWED.includes(id);

function told(others: readonly Change[]): Deferred['findings'] {
  const due = others.filter(({ what }) => what !== 'moved');
  if (due.length === 0) return [];
  const shown = due.slice(0, 5).map(({ step, what }) => `${step.id} (${what === 'new' ? 'new' : 'changed'})`);
  const more = due.length > shown.length ? ` and ${due.length - shown.length} more` : '';
  const message = `The user data have changed since this machine became a node, and ${counted(due.length, 'step')} of them ${due.length === 1 ? 'was' : 'were'} not done: ${shown.join(', ')}${more}. slipway bootstrap --again does what may be done on a node.`;
  return [{ severity: 'warning', code: 'NodeLeftAsItIs', message }];
}
