/**
 * `/run/slipway/outcome.json`: the verdict on this boot, for programs and people that wait for it.
 *
 * Written once per run of the agent, on success and on failure, atomically and world-readable (it holds no
 * secret); removed when a new run begins, so its presence always means "concluded".
 */
import type { Failure, Finding, Result } from './journal.ts';

export const OUTCOME_VERSION = 1;

export interface Outcome {
  version: typeof OUTCOME_VERSION;
  result: Result;
  /** Exit status that the agent ended with. */
  exitStatus: number;
  /** One sentence for people. */
  message: string;
  failure?: Failure;
  /** Archive of everything that support needs, made after the verdict when it is a failure for good. */
  support?: string;
  /** Where it failed. */
  step?: string;
  /** What was noticed and did not stop the sequence. */
  findings: Pick<Finding, 'severity' | 'code' | 'message' | 'where'>[];
  /** Each step of the sequence with its last result. */
  steps: StepVerdict[];
  instance: string;
  boot: string;
  sequence: string;
  mode: 'bootstrap' | 'shim';
  agent: string;
  startedAt: string;
  endedAt: string;
  /** Active seconds over all runs of the sequence. */
  seconds: number;
}

export interface StepVerdict {
  id: string;
  title: string;
  result: 'done' | 'failed' | 'skipped' | 'not run';
  attempts: number;
  seconds: number;
}
