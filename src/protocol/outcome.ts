/**
 * `/run/slipway/outcome.json`: the verdict on this boot, for programs and people that wait for it.
 *
 * The agent writes it once per run (and once more when it has collected support data), after success or failure, atomically and world-readable (it holds no
 * secret). A new run removes it first, so its presence always means "concluded".
 * Where /run takes nothing it lies in `/var/lib/slipway/outcome.json`, and counts in the boot that it names.
 */
import type { Failure, Finding, Result } from './journal.ts';

export const OUTCOME_VERSION = 1;

export interface Outcome {
  version: typeof OUTCOME_VERSION;
  result: Result;
  /** The agent's exit status. */
  exitStatus: number;
  /** One sentence for people. */
  message: string;
  failure?: Failure;
  /** Archive of everything that support needs; the agent makes it after a final failure. */
  support?: string;
  /** The step that failed. */
  step?: string;
  /** What the agent noticed and what did not stop the sequence. */
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
  /** Active seconds of the sequence in all its runs. */
  seconds: number;
}

export interface StepVerdict {
  id: string;
  title: string;
  result: 'done' | 'failed' | 'not run';
  attempts: number;
  seconds: number;
}
