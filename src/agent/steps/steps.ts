import { DEFAULT_BACKOFF } from '../../kit/backoff.ts';
import type { Step } from '../engine/step.ts';
import type { PlannedStep, StepKind, StepSpecs } from '../plan/planned-step.ts';
import { bootCommand, command } from './command.ts';
import { disks } from './disks.ts';
import { files } from './files.ts';
import { filesystems } from './filesystems.ts';
import { groups } from './groups.ts';
import { hostname } from './hostname.ts';
import { kubeadm } from './kubeadm.ts';
import { mounts } from './mounts.ts';
import { ntp } from './ntp.ts';
import { preflight } from './preflight.ts';
import type { Runner, Shared } from './runner.ts';
import { users } from './users.ts';

const RUNNERS: { [Kind in StepKind]: Runner<Kind> } = {
  'boot-command': bootCommand,
  files,
  disks,
  filesystems,
  mounts,
  hostname,
  groups,
  users,
  ntp,
  command,
  preflight,
  kubeadm,
};

/** Joins what the plan says with how it is done. */
export function toSteps(planned: readonly PlannedStep[], shared: Shared): Step[] {
  return planned.map((step) => toStep(step.kind, step.spec, step, shared));
}

function toStep<Kind extends StepKind>(
  kind: Kind,
  spec: StepSpecs[Kind],
  { id, title, digest }: Pick<Step, 'id' | 'title' | 'digest'>,
  shared: Shared,
): Step {
  const runner = RUNNERS[kind] as Runner<Kind>;
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
