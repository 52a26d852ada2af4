/**
 * The journal's records: what happened on this machine, in order, one JSON object per line.
 *
 * Status, outcome and events are all derived from these records. They hold no secret: no command text, no
 * file content, only ids, digests, codes and redacted lines of output.
 */
import type { Code } from './codes/codes.ts';

/** Version of the record schema. A reader refuses a higher one and ignores unknown fields. */
export const JOURNAL_VERSION = 1;

/** The fields of every record. */
export interface RecordHead {
  v: typeof JOURNAL_VERSION;
  /** Starts at 1, grows by one and never repeats within a journal. */
  seq: number;
  /** Wall clock, ISO 8601 in UTC with milliseconds. It may jump: never use it for durations. */
  time: string;
  /** Milliseconds since boot (CLOCK_BOOTTIME); compare them only within the same `boot`. */
  mono: number;
  /** The kernel's boot id. */
  boot: string;
}

/** An agent process began to work for `instance`. */
export interface RunStarted {
  type: 'run.started';
  /** Identifies this process. */
  run: string;
  /** The instance id (in cloud-init's sense); reveals a journal that an image holds by mistake. */
  instance: string;
  mode: 'bootstrap' | 'shim';
  /** Version of the agent. */
  agent: string;
  pid: number;
  /** Milliseconds that the process had run for; absent where an older agent began. */
  uptimeMs?: number;
}

/** A sequence of steps began, or continues after an interruption (with the same `sequence`). */
export interface SequenceStarted {
  type: 'sequence.started';
  run: string;
  sequence: string;
  /** Digest of all steps; the same document has the same digest on the same machine. */
  digest: string;
  steps: StepOutline[];
  /** Upper bound of the active time, in seconds. */
  deadlineSeconds: number;
  /** An earlier process began this sequence and did not finish it. */
  resumed: boolean;
  /** How many of the steps had their run in an earlier one, which need not have gone well; absent where none had. */
  ranBefore?: number;
}

/** What the journal says about a step before it runs. */
export interface StepOutline {
  id: string;
  /** A few words for people, without arguments that could hold a secret. */
  title: string;
  digest: string;
}

export interface StepStarted {
  type: 'step.started';
  step: string;
  digest: string;
  /** Counts from 1 and continues over restarts and reboots. */
  attempt: number;
}

/** News from a running step, such as a phase of kubeadm. */
interface StepProgress {
  type: 'step.progress';
  step: string;
  message: string;
  /** It repeats a line of a child's output, so whoever shows that output can skip it. */
  fromOutput?: boolean;
}

/** The agent is alive in a long step. After a kill, only the time since the last heartbeat is not counted. */
interface Heartbeat {
  type: 'heartbeat';
  step: string;
}

/** The agent writes a heartbeat this often, and who watches the journal counts on it. */
export const HEARTBEAT_MS = 15_000;

export interface StepEnded {
  type: 'step.ended';
  step: string;
  digest: string;
  attempt: number;
  result: 'done' | 'failed';
  /** Active milliseconds of this attempt. */
  ms: number;
  /** One line about what the step did. */
  message?: string;
  failure?: Failure;
  /** Milliseconds until the next attempt; absent if none follows. */
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
  /** At most the last three relevant lines of output, without secrets. */
  lines?: string[];
}

export const SEVERITIES = ['warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The agent noticed something that does not stop the sequence. */
export interface Finding {
  type: 'finding';
  severity: Severity;
  code: Code;
  message: string;
  /** `line:column` in the user data, if it is about a place there. */
  where?: string;
}

export interface SequenceEnded {
  type: 'sequence.ended';
  run: string;
  sequence: string;
  result: Result;
  exitStatus: number;
  /** Active milliseconds of the whole sequence in all its runs. */
  ms: number;
  failure?: Failure;
  /** The step that `failure` is of; absent where an older agent ended it. */
  failedStep?: string;
  /** It succeeded, and nothing shows whether the user data was to make a node. */
  isNodeUnknown?: true;
  /** What a success leaves for later boots; absent where they were not acted upon, in shim mode and of an older agent. */
  noted?: Noted;
}

/** By what a later boot knows that it is the same machine, and has the same user data. It stays on the machine. */
export interface Noted {
  /** The machine id; absent where the machine has none. */
  machine?: string;
  /** The UUID that firmware or hypervisor last gave the machine; absent where it gave none. */
  uuid?: string;
  /** Digest of user data that came on a volume; null where they came from elsewhere, absent where nobody knows. */
  seed?: string | null;
}

/** How a sequence can end. `transient`: failed, but the same machine may succeed at its next boot. */
export const RESULTS = ['succeeded', 'failed', 'transient', 'bad-input', 'deadline-exceeded'] as const;
export type Result = (typeof RESULTS)[number];

/** Somebody ran `kubeadm reset`: what was done before no longer counts. */
export interface NodeReset {
  type: 'node.reset';
  run: string;
  /**
   * `node`: the whole node was reset, so every step except those on disks has to run again. Absent: only
   * kubeadm's work was undone.
   */
  scope?: 'node';
}

/** The agent repaired the journal: its end was torn (power loss) or a line was unreadable. */
interface JournalRepaired {
  type: 'journal.repaired';
  /** Bytes that were cut off or skipped. */
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
