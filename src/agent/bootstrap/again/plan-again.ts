import { counted } from '../../../kit/counted.ts';
import type { Failure, StepOutline } from '../../../protocol/journal.ts';
import type { Document } from '../../document/document.ts';
import { failure } from '../../engine/failure.ts';
import { historyOf } from '../../engine/history.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import type { Step } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';
import { stepsForPlatform } from '../../steps/preview.ts';
import type { Shared } from '../../steps/kind/shared.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { plan } from '../../steps/plan.ts';
import { type Changes, changesOf } from '../lifecycle/changes.ts';
import { type LastSuccess, lastSuccess } from '../lifecycle/last-success.ts';
import { isShim } from '../lifecycle/should-retry-failed.ts';
import { dueFiles } from './due-files.ts';
import { loadAgain } from './load-again.ts';

/** What another run on a machine that was bootstrapped before does. */
export interface Again extends Changes {
  kind: 'again';
  /** The instance that the last success was for; this run is for the same one. */
  instance: string;
  /** The plan with the files alone that are not as they should be. */
  due: readonly PlannedStep[];
  /** All is as it was, and nothing was cut off: there is nothing to write down either. */
  isNothing: boolean;
  /** For the outcome when all of it has succeeded. */
  message: string;
  /** Steps that the journal is to know as settled before any other begins: a later boot must not do them. */
  settled: readonly StepOutline[];
  load(shared: Shared): Promise<Step[]>;
}

/**
 * What `slipway bootstrap --again` does with these user data, or why it does nothing. Changes nothing.
 *
 * @throws HostError if the journal cannot be read
 */
export async function planAgain(
  host: Host,
  document: Document,
): Promise<Again | { kind: 'refused'; failure: Failure }> {
  const records = await recordsOf(host);
  const last = lastSuccess(records);
  const reason = await obstacle(host, document, last);
  if (reason !== undefined || last === undefined)
    return {
      kind: 'refused',
      failure: reason ?? (isShim(records) ? KUBEADMS : failure('NothingToRepeat', NEVER)),
    };
  const planned = stepsForPlatform(host, plan(document));
  const found = changesOf(planned, records, last);
  const changed = { ...document, files: await dueFiles(host, document) };
  const due = stepsForPlatform(host, plan(changed));
  const { changes } = found;
  return {
    kind: 'again',
    ...found,
    instance: last.instance,
    due,
    isNothing:
      changes.every(({ what }) => what === 'same') &&
      found.gone.length === 0 &&
      historyOf(records, last.instance).open === undefined,
    message: messageFor(changes.filter(({ what }) => what === 'new' || what === 'changed').length),
    settled: changes.flatMap(({ step, what }) =>
      what === 'moved' || what === 'left' ? [{ id: step.id, title: step.title, digest: step.digest }] : [],
    ),
    load: (shared) => loadAgain(changes, due, shared),
  };
}

const NEVER =
  'No bootstrap has run on this machine yet, or since it was reset, so there is nothing to do again.';
const KUBEADMS = failure(
  'NothingToRepeat',
  'On this machine Slipway is only the kubeadm that somebody else calls, mostly cloud-init, whose commands it does not run again.',
  { remedy: 'Call kubeadm join or init again, as the user data do: it is tried anew.' },
);

async function obstacle(
  host: Host,
  { isWiped, instance: { id } }: Document,
  last: LastSuccess | undefined,
): Promise<Failure | undefined> {
  if (last === undefined) return undefined;
  if (isWiped) {
    const cause =
      'What is left of the user data has lost its secrets since this machine was bootstrapped, so nobody can tell what has changed.';
    return failure('UserDataWiped', cause);
  }
  if (id !== undefined && id !== last.instance) {
    const cause = `The metadata name the instance ${id}, and this machine was bootstrapped as ${last.instance}.`;
    return failure('NothingToRepeat', cause);
  }
  const wasNode = last.steps.some((step) => step.id === 'kubeadm');
  if (!wasNode || (await looksJoined(host, 'join'))) return undefined;
  const cause = 'This machine was a node, and what kubeadm had made of it is gone.';
  return failure('NothingToRepeat', cause);
}

const messageFor = (steps: number): string =>
  steps === 0
    ? 'Nothing has changed since the last success, and nothing was done.'
    : `What has changed since the last success was done: ${counted(steps, 'step')}.`;
