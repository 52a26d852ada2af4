import type { Code } from '../../protocol/codes/codes.ts';
import type { Failure, Finding, Result } from '../../protocol/journal.ts';
import type { StepVerdict } from '../../protocol/outcome.ts';
import type { Host } from '../host/host.ts';
import type { Journal } from './journal.ts';
import type { Step, StepContext } from './step.ts';

export interface SequenceOptions {
  host: Host;
  journal: Journal;
  steps: Step[];
  /** Digest of all steps. */
  digest: string;
  mode: 'bootstrap' | 'shim';
  instance: string;
  agent: string;
  pid: number;
  /** Milliseconds that the agent's process has run for. */
  uptimeMs?: number;
  deadlineSeconds: number;
  /** When this agent began, by the monotonic clock: the deadline counts from then. */
  startedAt?: number;
  /** Aborts when the agent is told to stop. */
  stop: AbortSignal;
  findings: Omit<Finding, 'type'>[];
  /** The document has no kubeadm, so only its commands can decide: a failed command makes the verdict. */
  commandsDecide: boolean;
  /** Says why a failure with this code is not final yet; undefined: it is final. */
  notFinal?: (code: Code) => Promise<string | undefined>;
  output?: StepContext['output'];
  /** What a success notes for later boots, with the `seed` of `successNote`; absent: nothing. */
  note?: { seed?: string | null | undefined };
}

export interface SequenceResult {
  result: Result;
  exitStatus: number;
  failure?: Failure;
  failedStep?: string;
  findings: Omit<Finding, 'type'>[];
  steps: StepVerdict[];
  /** How many steps this call ran; an earlier one had finished the others. */
  ran: number;
  sequence: string;
  startedAt: string;
  ms: number;
}

const EXIT: Record<Result, number> = {
  succeeded: 0,
  failed: 1,
  'bad-input': 2,
  'deadline-exceeded': 3,
  transient: 75,
};

/** Exit status of `slipway bootstrap`; `slipway --help` tells them. */
export function exitStatusOf(result: Result): number {
  return EXIT[result];
}
