import type { Failure, JournalRecord } from '../../protocol/journal.ts';
import type { Host } from '../host/host.ts';
import type { AskReboot } from '../steps/kind/shared.ts';

/**
 * Cluster API gives a machine up after ten minutes (`nodeStartupTimeoutSeconds` of a MachineHealthCheck): with nine there is time to
 * say why before it is deleted.
 */
export const DEFAULT_DEADLINE_SECONDS = 9 * 60;

export interface Watcher {
  /** Each journal record, after it is on disk. */
  record(record: JournalRecord): void;
  /** Each line that a child printed, redacted. */
  output(line: string, stream: 'stdout' | 'stderr'): void;
}

export interface BootstrapOptions {
  host: Host;
  agent: string;
  userDataFile?: string;
  metaDataFile?: string;
  networkFile?: string;
  source?: string;
  /** Absent: what the machine's settings or the user data says, else the default. */
  deadlineSeconds?: number;
  /** Aborts when somebody stops the agent. */
  stop: AbortSignal;
  /** A command of the user data asks for another boot; `stop` aborts then. Without it such a command has failed. */
  askReboot?: AskReboot;
  /** Do what has changed since the last success, and nothing else; where nothing has succeeded yet, try anew what failed. */
  isAgain?: boolean;
  watcher: Watcher;
  verdict: VerdictHooks;
}

/** How the verdict and the process around it speak with each other. */
export interface VerdictHooks {
  /** Rejects with an error that nobody caught: this fault of the agent becomes the verdict. */
  fault: Promise<never>;
  /** The agent could not write the verdict, so whoever waits for the file will not see it. */
  unwritten(failure: Failure): void;
}
