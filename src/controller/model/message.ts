import { formatMs } from '../../kit/duration.ts';
import type { StepSummary, Summary } from './summary.ts';

/**
 * One or two sentences about a bootstrap's state; for a failure, its cause and remedy.
 *
 * @param heardMs milliseconds since its last event was stored; never compares a node's clock with ours
 */
export function messageOf(summary: Summary, heardMs = 0): string {
  const { phase, failure } = summary;
  if (phase === 'Waiting') return 'The machine has enrolled and has not reported on its bootstrap yet.';
  if (phase === 'Reset') return 'Somebody ran kubeadm reset on the machine; earlier reports no longer apply.';
  if (phase === 'Succeeded') return summary.isNodeUnknown ? NODE_UNKNOWN : succeeded(summary);
  if (phase === 'Running') return running(summary, heardMs);
  if (!failure) return `The bootstrap failed${inStep(summary)} and gave no reason.`;
  return `${sentence(failure.cause)} ${sentence(failure.remedy)}`;
}

const NODE_UNKNOWN =
  'All programs of the user data ran, and nothing shows whether they were to make this machine a node. Call kubeadm in runcmd, on a line of its own, or say slipway: {kubeadm: none}.';

function succeeded({ ms, steps }: Summary): string {
  const took = ms === undefined ? '' : ` in ${formatMs(ms)}`;
  const retried = steps.filter(({ attempts }) => attempts > 1).length;
  const after =
    retried === 0 ? '' : `, ${retried === 1 ? 'one step' : `${retried} steps`} after several attempts`;
  return `The machine bootstrapped${took}${after}.`;
}

function running(summary: Summary, heardMs: number): string {
  const ms = (summary.elapsedMs ?? 0) + Math.max(0, heardMs);
  const elapsed = ms < 1000 ? '' : ` for ${formatMs(ms)}`;
  const step = currentStep(summary);
  if (!step) return `The bootstrap has been running${elapsed}.`;
  const at = summary.steps.indexOf(step) + 1;
  const attempt = step.attempts > 1 ? `, attempt ${step.attempts}` : '';
  const progress = summary.progress ? ` (${summary.progress})` : '';
  const again = summary.failure ? ` The last attempt failed: ${sentence(summary.failure.cause)}` : '';
  return `The bootstrap has been running${elapsed}: step ${at} of ${summary.steps.length}, ${step.title}${progress}${attempt}.${again}`;
}

export function currentStep({ steps, step }: Summary): StepSummary | undefined {
  return steps.find(({ id }) => id === step);
}

function inStep(summary: Summary): string {
  const step = currentStep(summary);
  return step ? ` in step ${step.title}` : '';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
