import type { Backoff } from '../../kit/backoff.ts';
import type { Failure, Finding, StepOutline } from '../../protocol/journal.ts';
import type { Host } from '../host/host.ts';

/** A step that the engine can run: what the plan said, and how to do it. */
export interface Step extends StepOutline {
  /** `once` per instance, or again at every boot. */
  when: 'once' | 'every-boot';
  /** Whether the sequence ends when the step failed for good. */
  onFailure: 'stop' | 'continue';
  /** Steps of one group share a shell; when one ends it (`CommandEndedScript`), the others of the group are not run. */
  group?: string;
  /** How many attempts a sequence may spend on transient failures. */
  attempts: number;
  backoff: Backoff;
  run(context: StepContext): Promise<StepResult>;
  /**
   * Starts what takes time and changes nothing, so that it is ready when the step's turn comes; called before the first
   * step runs, for the first unfinished step of each group. Must not throw.
   */
  ahead?(host: Host): Promise<void>;
  /** Asked before a finished step is skipped: is what it did still in force? */
  holds?(host: Host): Promise<boolean>;
  /** Called when a finished step is skipped. */
  skipped?(host: Host): Promise<void>;
  /** Called for a finished step when a later one is still to be run: puts back what a reboot took from /run. */
  renew?(host: Host): Promise<void>;
  /** Called when the step's end is in the journal, once more when it is skipped; frees what was kept for a resume. */
  settled?(host: Host): Promise<void>;
}

export interface StepContext {
  host: Host;
  /** From 1. */
  attempt: number;
  /** An earlier attempt was cut off and nobody knows how far it came. */
  interrupted: boolean;
  /** Aborts at the soft deadline and when the agent is told to stop. */
  signal: AbortSignal;
  /** Milliseconds until the soft deadline. */
  remainingMs(): number;
  progress(message: string, fromOutput?: boolean): Promise<void>;
  finding(finding: Omit<Finding, 'type'>): Promise<void>;
  /** A line of a child's output, already redacted, for whoever watches. */
  output(line: string, stream: 'stdout' | 'stderr'): void;
}

export type StepResult =
  | { done: true; message?: string }
  | {
      done: false;
      failure: Failure;
      /** `until-deadline` goes on beyond the step's attempts. */
      retry: 'no' | 'yes' | 'until-deadline';
    };
