/** The part of a `Host` that starts programs. */

export interface CommandSpec {
  /** Program and arguments; no shell. */
  argv: [string, ...string[]];
  /** Changes to the agent's environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  input?: string | Uint8Array;
  /** After this time the process group is ended (SIGTERM, five seconds later SIGKILL). */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Gets each whole line of output as it comes. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** How much of each stream's end to keep; default 256 KiB. */
  keepBytes?: number;
}

export interface CommandResult {
  /** Exit status; 128 + signal if a signal ended it; 127 if it could not start. */
  exitStatus: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  ms: number;
}

/**
 * A program that outlives the agent. Its output and exit status go to files, so that an agent that was killed
 * and started again finds it, waits for it and learns how it ended, and does not start it twice.
 */
export interface DurableSpec {
  /** Identifies the run; the agent adopts a running program of the same name. */
  name: string;
  argv: [string, ...string[]];
  env?: Record<string, string | undefined>;
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  signal?: AbortSignal;
}

/** A running durable program. */
export interface DurableHandle {
  /** The agent found it running or ended and did not start it. */
  adopted: boolean;
  /** Delivers all output so far. */
  catchUp(): void;
  result: Promise<DurableResult>;
}

export interface DurableResult {
  /** Undefined if the program vanished without a status (power loss, or killed together with the agent). */
  exitStatus: number | undefined;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Programs of a root run apart from the host, or not at all. */
interface Sandbox {
  /** Why none of them is started here, in words; undefined where they are. */
  refusal(): Promise<string | undefined>;
  /** The programs that were to run so far and did not. */
  unasked(): readonly string[];
}

export interface Processes {
  /** Runs the program to its end. A program's failure never throws; see `exitStatus`. */
  run(spec: CommandSpec): Promise<CommandResult>;
  /**
   * The state of the durable program of that name: `ended` means that nobody has taken its result yet,
   * `vanished` that nothing tells how it ended. Undefined if there is none.
   */
  findDurable(name: string): Promise<'running' | 'ended' | 'vanished' | undefined>;
  /** Starts the program, or adopts a `running` or `ended` one. Its files stay until `forgetDurable`. */
  startDurable(spec: DurableSpec): Promise<DurableHandle>;
  /** The same, and waits for the end. */
  runDurable(spec: DurableSpec): Promise<DurableResult>;
  /** Removes a durable run's files; call it when the journal has its result. */
  forgetDurable(name: string): Promise<void>;
  /**
   * Replaces this process if the platform can; else runs the program with inherited streams. It returns only
   * by throwing.
   * @throws HostError if the program cannot start
   */
  replace(argv: [string, ...string[]], env?: Record<string, string | undefined>): Promise<never>;
  /**
   * Runs the program with this process's own streams, to its end, and gives its exit status.
   * @throws HostError if the program cannot start
   */
  attached(argv: [string, ...string[]], env?: Record<string, string | undefined>): Promise<number>;
  /** The machine path of the first executable of that name in PATH that `accept` allows. */
  which(name: string, accept?: (path: string) => Promise<boolean>): Promise<string | undefined>;
  isAlive(pid: number): boolean;
  /** Only where programs are of a root that is not trusted. */
  readonly sandbox?: Sandbox;
  /** Sets this process's name for ps, pgrep and pkill (default: "MainThread"). At most 15 bytes count. */
  nameSelf(name: string): void;
}
