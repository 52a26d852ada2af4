import type { Backoff } from '../../../kit/backoff.ts';
import type { Step, StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import type { InventoryOwner } from '../../kubeadm/repeat/inventory.ts';
import type { StepKind, StepSpecs } from '../../plan/planned-step.ts';
import type { ShellSession } from './shell-session.ts';

/** What a step shares with the other steps of its sequence. */
export interface Shared {
  bootShell: ShellSession;
  shell: ShellSession;
  /** For whom and for what the steps are run. */
  owner: InventoryOwner;
}

/** How steps of one kind are run; one file a kind. */
export interface Runner<Kind extends StepKind> {
  /** Where it differs from: once per instance, a failure stops the sequence, three attempts. */
  policy?: Partial<Pick<Step, 'when' | 'onFailure' | 'attempts' | 'backoff' | 'group'>>;
  /** Where the pauses between attempts depend on what is to be done. */
  backoff?(spec: StepSpecs[Kind]): Backoff;
  run(spec: StepSpecs[Kind], context: StepContext, shared: Shared): Promise<StepResult>;
  /** Before a step ahead of it runs: starts what takes time and changes nothing. Must not throw. */
  ahead?(spec: StepSpecs[Kind], shared: Shared): Promise<void>;
  /** Asked before a finished step is skipped: is what it did still in force? */
  holds?(spec: StepSpecs[Kind], host: Host): Promise<boolean>;
  /** A finished step is skipped. */
  skipped?(spec: StepSpecs[Kind], host: Host): Promise<void>;
  /** A finished step is skipped and a later one is to be run: puts back what a reboot took from /run. */
  renew?(spec: StepSpecs[Kind], host: Host): Promise<void>;
  /** The step's end is in the journal: frees what was kept for a resume. */
  settled?(host: Host): Promise<void>;
}
