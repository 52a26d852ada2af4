import { pluralize } from '../../../kit/pluralize.ts';
import type { Failure, JournalRecord, StepOutline } from '../../../protocol/journal.ts';
import type { Document } from '../../document/document.ts';
import { failure } from '../../engine/failure.ts';
import { historyOf } from '../../engine/history.ts';
import { machineInstance } from '../../engine/instance.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import type { Host } from '../../host/host.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { plan } from '../../steps/plan.ts';
import { stepsForPlatform } from '../../steps/preview.ts';
import type { Change, Changes } from '../lifecycle/changes.ts';
import { findState } from '../lifecycle/find-state.ts';
import { lastSuccess } from '../lifecycle/last-success.ts';
import { decide, type State } from '../lifecycle/lifecycle.ts';
import { shouldRetryFailed } from '../lifecycle/should-retry-failed.ts';
import { dueFiles } from './due-files.ts';

/** What another run does, for people: `due` has the details of the steps that run. */
export type AgainPlan = Changes & { due: readonly PlannedStep[] };

/**
 * What `slipway bootstrap --again` would do with these user data, or why it would do nothing. Changes nothing.
 *
 * @throws HostError if the disk cannot be read
 */
export async function planAgain(
  host: Host,
  document: Document,
): Promise<({ kind: 'again' } & AgainPlan) | { kind: 'refused'; failure: Failure }> {
  const records = await recordsOf(host);
  const instance = instanceOf(document, records) ?? (await machineInstance(host));
  const planned = stepsForPlatform(host, plan(document));
  const found = await findState(host, records, document, planned, instance);
  const action = decide(found.state, 'again');
  if (action === 'retry')
    return { kind: 'again', changes: retried(planned, records, instance), gone: [], due: [] };
  if (!('changes' in found)) return { kind: 'refused', failure: refusal(found.state, document, records) };
  return { kind: 'again', ...found, due: await dueSteps(host, document) };
}

/** Whom `--again` is for: where nobody says, the instance that the last success was for, unless that is to be tried again. */
export function instanceOf(document: Document, records: readonly JournalRecord[]): string | undefined {
  const last = shouldRetryFailed(records) ? undefined : lastSuccess(records);
  return document.instance.id ?? last?.instance;
}

/** The plan with the files alone that are not as they should be. */
export async function dueSteps(host: Host, document: Document): Promise<readonly PlannedStep[]> {
  const changed = { ...document, files: await dueFiles(host, document) };
  return stepsForPlatform(host, plan(changed));
}

/** Steps that the journal is to know as done before any other begins: a later boot must not do them. */
export function settledSteps(changes: readonly Change[]): StepOutline[] {
  return changes.flatMap(({ step: { id, title, digest }, what }) =>
    what === 'moved' || what === 'left' ? [{ id, title, digest }] : [],
  );
}

/** For the outcome when all of it has succeeded. */
export function messageFor(changes: readonly Change[]): string {
  const steps = changes.filter(({ what }) => what === 'new' || what === 'changed').length;
  return steps === 0
    ? 'Nothing has changed since the last success, and nothing was done.'
    : `What has changed since the last success was done: ${pluralize(steps, 'step')}.`;
}

/** Why `--again` does nothing on a machine in this state. */
export function refusal(
  state: State,
  { instance: { id } }: Document,
  records: readonly JournalRecord[],
): Failure {
  switch (state) {
    case 'wiped':
      return failure('UserDataWiped', WIPED);
    case 'other-instance': {
      const before = lastSuccess(records)?.instance;
      const cause = `The metadata name the instance ${id}, and this machine was bootstrapped as ${before}.`;
      return failure('NothingToRepeat', cause);
    }
    case 'node-gone':
      return failure('NothingToRepeat', GONE);
    case 'shim-only':
      return failure('NothingToRepeat', SHIM, { remedy: SHIM_REMEDY });
    default:
      return failure('NothingToRepeat', NEVER);
  }
}

const WIPED =
  'What is left of the user data has lost its secrets since this machine was bootstrapped, so nobody can tell what has changed.';
const GONE = 'This machine was a node, and what kubeadm had made of it is gone.';
const NEVER =
  'No bootstrap has run on this machine yet, or since it was reset, so there is nothing to do again.';
const SHIM =
  'On this machine Slipway is only the kubeadm that somebody else calls, mostly cloud-init, whose commands it does not run again.';
const SHIM_REMEDY = 'Call kubeadm join or init again, as the user data does: it is tried anew.';

/** What a retry does: what is done stays done, what has failed is run anew, and what has not been run follows. */
function retried(
  planned: readonly PlannedStep[],
  records: readonly JournalRecord[],
  instance: string,
): Change[] {
  const history = historyOf(records, instance);
  return planned.map((step): Change => {
    const { ended, superseded } = history.step(step.id, step.digest);
    if (ended === undefined || superseded) return { step, what: 'new' };
    return { step, what: ended.result === 'done' ? 'same' : 'failed' };
  });
}
