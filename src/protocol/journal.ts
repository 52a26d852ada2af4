/**
 * The journal's records: what happened on this machine, one JSON object a line, in order.
 *
 * Everything else (status, outcome, what is sent to a controller) is derived from these records. They hold no
 * secret: no command text, no file content, only ids, digests, codes and redacted output lines.
 */
import type { Code } from './codes/codes.ts';

/** Version of the record schema; a reader refuses a higher one and ignores unknown fields. */
export const JOURNAL_VERSION = 1;

/** Fields that every record carries. */
export interface RecordHead {
  v: typeof JOURNAL_VERSION;
  /** Starts at 1, grows by one, never repeats in a journal. */
  seq: number;
  /** Wall clock, ISO 8601 in UTC with milliseconds. May jump; never use it for durations. */
  time: string;
  /** Milliseconds since boot (CLOCK_BOOTTIME); only comparable between records of the same `boot`. */
  mono: number;
  /** The kernel's boot id. */
  boot: string;
}

/** A process of the agent began to work for `instance`. */
export interface RunStarted {
  type: 'run.started';
  /** Unique to this process. */
  run: string;
  /** Instance id of the machine (cloud-init's sense); a journal baked into an image by mistake is recognised by it. */
  instance: string;
  mode: 'bootstrap' | 'shim';
  /** Version of the agent. */
  agent: string;
  pid: number;
}

/** A sequence of steps began, or goes on after an interruption (same `sequence`). */
export interface SequenceStarted {
  type: 'sequence.started';
  run: string;
  sequence: string;
  /** Digest of all steps; the same document on the same machine gives the same digest. */
  digest: string;
  steps: StepOutline[];
  /** Hard deadline in seconds of active time. */
  deadlineSeconds: number;
  /** True when an earlier process had begun this sequence and did not conclude it. */
  resumed: boolean;
}

/** What the journal tells of a step before it runs. */
export interface StepOutline {
  id: string;
  /** A few words for people, free of arguments that could hold a secret. */
  title: string;
  digest: string;
}

export interface StepStarted {
  type: 'step.started';
  step: string;
  digest: string;
  /** Counts from 1 and goes on over restarts and reboots. */
  attempt: number;
  /** True when a process that an earlier, killed agent had started was found alive and is waited for. */
  adopted?: boolean;
}

/** Something worth telling while a step runs, such as a kubeadm phase. */
export interface StepProgress {
  type: 'step.progress';
  step: string;
  message: string;
  /** It repeats a line of a child's output; who shows that output need not show this. */
  fromOutput?: boolean;
}

/** The agent is alive while a long step runs; bounds the working time that a kill leaves uncounted. */
export interface Heartbeat {
  type: 'heartbeat';
  step: string;
}

export interface StepEnded {
  type: 'step.ended';
  step: string;
  digest: string;
  attempt: number;
  result: 'done' | 'failed' | 'skipped';
  /** Active milliseconds of this attempt. */
  ms: number;
  /** One line on what was done, or why it was skipped. */
  message?: string;
  failure?: Failure;
  /** Set when another attempt follows: milliseconds until then. */
  retryInMs?: number;
}

/** Why something failed, in the words of the table of codes. */
export interface Failure {
  code: Code;
  /** One sentence: what failed and why. */
  cause: string;
  /** One sentence: what to do. */
  remedy: string;
  /** Exit status of the child process, if there was one. */
  exitStatus?: number;
  /** At most the last three relevant lines of output, redacted. */
  lines?: string[];
}

/** Something noticed that does not stop the sequence. */
export interface Finding {
  type: 'finding';
  severity: 'warning' | 'info';
  code: Code;
  message: string;
  /** `line:column` in the user data, where it has one. */
  where?: string;
}

export interface SequenceEnded {
  type: 'sequence.ended';
  run: string;
  sequence: string;
  result: Result;
  exitStatus: number;
  /** Active milliseconds of the whole sequence over all runs. */
  ms: number;
  failure?: Failure;
}

/** `transient`: failed, but the same machine may succeed at its next boot. */
export type Result = 'succeeded' | 'failed' | 'transient' | 'bad-input' | 'deadline-exceeded';

/** `kubeadm reset` was run: what was done before no longer holds. */
export interface NodeReset {
  type: 'node.reset';
  run: string;
  /** `node`: the whole of it, so everything is to be done again but what was done to disks. Absent: what kubeadm did. */
  scope?: 'node';
}

/** The journal's own end was torn (power loss) or a line unreadable, and has been mended. */
export interface JournalRepaired {
  type: 'journal.repaired';
  /** Bytes cut off or passed over. */
  bytes: number;
}

export type RecordBody =
  | RunStarted
  | SequenceStarted
  | StepStarted
  | StepProgress
  | Heartbeat
  | StepEnded
  | Finding
  | SequenceEnded
  | NodeReset
  | JournalRepaired;

export type JournalRecord = RecordHead & RecordBody;
