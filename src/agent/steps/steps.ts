import { DEFAULT_BACKOFF } from '../../kit/backoff.ts';
import type { Step } from '../engine/step.ts';
import type { PlannedStep, StepKind, StepSpecs } from '../plan/planned-step.ts';
import { RUNNERS } from './runners.ts';
import type { Runner, Shared } from './shell/runner.ts';

/** Joins what the plan says with how it is done. */
export function toSteps(planned: readonly PlannedStep[], shared: Shared): Promise<Step[]> {
  return Promise.all(planned.map((step) => loadStep(step.kind, step.spec, step, shared)));
}

async function loadStep<Kind extends StepKind>(
  kind: Kind,
  spec: StepSpecs[Kind],
  outline: Pick<Step, 'id' | 'title' | 'digest'>,
  shared: Shared,
): Promise<Step> {
  return toStep<Kind>(await RUNNERS[kind](), spec, outline, shared);
}

/** One step of a known kind. */
export function toStep<Kind extends StepKind>(
  runner: Runner<Kind>,
  spec: StepSpecs[Kind],
  { id, title, digest }: Pick<Step, 'id' | 'title' | 'digest'>,
  shared: Shared,
): Step {
  return {
    id,
    title,
    digest,
    when: 'once',
    onFailure: 'stop',
    attempts: 3,
    backoff: DEFAULT_BACKOFF,
    ...runner.policy,
    ...(runner.backoff ? { backoff: runner.backoff(spec) } : {}),
    run: (context) => runner.run(spec, context, shared),
    ...(runner.ahead ? { ahead: async () => runner.ahead?.(spec, shared) } : {}),
    holds: async (host) => runner.holds?.(spec, host) ?? true,
    skipped: async (host) => runner.skipped?.(spec, host),
    renew: async (host) => runner.renew?.(spec, host),
    ...(runner.settled ? { settled: runner.settled } : {}),
  };
}
