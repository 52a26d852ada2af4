import { currentStep } from '../model/message.ts';
import type { NodeRecord } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';

/** One node in a table; empty where there is nothing to say. */
export interface NodeLine {
  readonly namespace: string;
  readonly name: string;
  /** How its Machine was found; without one, the MachinePool that its token names. */
  readonly tiedBy: string;
  readonly phase: string;
  readonly step: string;
  readonly reason: string;
  readonly node: string;
  /** Time since the last news of it, such as `5m`. */
  readonly heard: string;
}

/** The step that runs or that ended it, and the number of steps: `6/7 kubeadm join`. */
export function positionOf(summary: Summary): string {
  const step = currentStep(summary);
  return step ? `${summary.steps.indexOf(step) + 1}/${summary.steps.length} ${step.title}` : '';
}

/** What people have to decide, or have decided, comes before what the machine tells. */
export function shownPhase(phase: string, admission: string | undefined): string {
  return admission && admission !== 'Admitted' ? admission : phase;
}

/** `MachinePool/NAME`; empty where the owner that a token names is something else, which makes Machines. */
export function poolOf(owner = ''): string {
  return owner.startsWith('MachinePool/') ? owner : '';
}

export function lineOf({ namespace, name, spec, summary, storedAt }: NodeRecord, now: number): NodeLine {
  return {
    namespace,
    name,
    tiedBy: spec.machine?.by ?? poolOf(spec.enrolment.selector?.owner),
    phase: shownPhase(summary.phase, spec.admission?.state),
    step: positionOf(summary),
    reason: summary.failure?.code ?? '',
    node: summary.node?.state ?? '',
    heard: age(storedAt, now),
  };
}

/** `34s`, `5m`, `3h`, `12d`: how long ago. */
function age(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
