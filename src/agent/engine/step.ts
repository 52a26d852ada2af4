import type { Backoff } from '../../kit/backoff.ts';
import type { Failure, Finding, StepOutline } from '../../protocol/journal.ts';
import type { Host } from '../host/host.ts';

/** A step as the engine runs it: what the plan says of it, and how it is done. */
export interface Step extends StepOutline {
  /** Once per instance, or again at every boot; default `once`. */
  when?: 'once' | 'every-boot';
  /** Does the sequence end when the step has failed for good? Default `stop`. */
  onFailure?: 'stop' | 'continue';
  /**
   * Steps of one group share a shell; when one ends it (`CommandEndedScript`) or there is none (`ToolMissing`), the engine skips the others.
   */
  group?: string;
  /** Ids of steps before it: where a sequence has run one of them, what this one did may be gone, and it is run again. */
  restsOn?: readonly string[];
  /**
   * Whatever part of it a power loss has left, and though nobody knows of it: done from its beginning it has the same result. So
   * nothing waits until its beginning is on the disk.
   */
  repeatable?: boolean;
  /**
   * The id of a later step that shows whether this one has done its work: where that has failed, `bootstrap --again` runs this
   * one anew, however it ended itself.
   */
  provedBy?: string;
  /** Once it is done and its proof holds, it makes the verdict: a step before it that failed and was let pass is a finding then. */
  decides?: true;
  /** What it is to do has changed: it is done again, whatever its proof says. */
  redo?: true;
  /** How many attempts a sequence may spend on transient failures; default 3. */
  attempts?: number;
  /** Pauses between attempts; default `BACKOFF.step`. */
  backoff?: Backoff;
  run(context: StepContext): Promise<StepResult>;
  /**
   * Starts what takes time and changes nothing, so that it is ready when the step's turn comes. The engine
   * calls it before the first step runs, for the first unfinished step of each group. Must not throw.
   */
  ahead?(): Promise<void>;
  /**
   * Is what an earlier agent's attempt started still at work, or has it ended meanwhile? Then that attempt
   * goes on, and the engine spends no other.
   */
  isUnderWay?(host: Host): Promise<boolean>;
  /**
   * The proof: is what the finished step did still in force? The engine runs a step without proof again when
   * another document's step has been at the same place since.
   */
  holds?(host: Host): Promise<boolean>;
  /**
   * Puts back what a reboot took from /run. The engine calls it for a finished step before it runs a later
   * one.
   */
  renew?(host: Host): Promise<void>;
  /**
   * Tells of the step's end, which is in the journal, and frees what the step kept for a resume. The engine
   * calls it again for a finished step: the agent may have died between the record and this, and a reboot
   * empties /run.
   */
  settled?(host: Host, isDone: boolean): Promise<void>;
}

/** How a step is done, without what the plan says of it. */
export type StepWork = Omit<Step, keyof StepOutline>;

export interface StepContext {
  host: Host;
  /** From 1. */
  attempt: number;
  /** Something cut an earlier attempt off, and nobody knows how far it came. */
  interrupted: boolean;
  /** This step of another document was done on this instance. */
  doneOtherwise?: boolean;
  /** It was done, and what it rests on was run since: only what is missing is made, and nothing that is there is given up. */
  isMissing?: boolean;
  /** Aborts at the soft deadline, and when somebody stops the agent. */
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
      /** `until-deadline` repeats the step beyond its attempts. */
      retry: 'no' | 'yes' | 'until-deadline';
      /** Nothing that is still starting could change it: the engine does not ask what the failure's code rests on. */
      isFinal?: boolean;
    };
