/**
 * The machine behind one interface. Everything that Slipway does to a machine or learns from it goes through a `Host`,
 * so that steps can be run below a directory (`--root`), recorded, and tested.
 *
 * Paths are absolute paths as the machine sees them; the host maps them below its root and never follows a symbolic
 * link out of it.
 */

import { ExpectedError } from '../../kit/errors.ts';

export interface Host {
  readonly platform: 'linux' | 'windows';
  /** Directory that stands for the machine's `/`; `/` on the real machine. */
  readonly root: string;
  readonly files: Files;
  /** Where the agent itself runs, whatever `root` is: for paths that a person gave it, and its own program. */
  readonly ownFiles: Files;
  readonly clock: Clock;
  /** Starts programs; below a root they run in a chroot. */
  readonly processes: Processes;
  readonly network: Network;
  readonly blockDevices: BlockDevices;
  /** Uniform in [0, 1). */
  random(): number;
  /** Unique id, e.g. for a run. */
  uuid(): string;
  /** The kernel's boot id; differs after every reboot. */
  bootId(): Promise<string>;
  /** Host name in force. */
  hostname(): string;
  /** An environment variable of the agent's own process. */
  env(name: string): string | undefined;
  /** From now on this process is kept small rather than fast; for one that mostly waits. */
  stayLean(): void;
  /** Holds `name` for as long as this process lives; null when another process holds it. Crash-safe. */
  lock(name: string): Promise<Lock | { heldBy: number | undefined }>;
}

export interface Lock {
  release(): Promise<void>;
}

export interface Clock {
  now(): Date;
  /** Milliseconds since boot, including suspend; does not jump. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface FileStat {
  kind: 'file' | 'directory' | 'symlink' | 'other';
  size: number;
  mode: number;
  uid: number;
  gid: number;
}

export interface WriteOptions {
  /** Permission bits; default 0o644 for a new file. */
  mode?: number;
  /** `user`, `user:group`, or numeric ids; names are looked up in the machine's own passwd and group files. */
  owner?: string;
  /** Directories that have to be made for the file get its owner too; else the agent's own. */
  ownsParents?: boolean;
  /** For what no reboot is to survive, as in /run: whole or not there, but not synced to the disk. */
  volatile?: boolean;
}

/** A file that is being watched. */
export interface Watch {
  close(): void;
}

export interface Files {
  /** Throws `HostError` with `errno` ENOENT when missing. */
  read(path: string): Promise<Buffer>;
  /** Undefined when the file is not there. */
  readIfPresent(path: string, maxBytes?: number): Promise<Buffer | undefined>;
  /** Bytes from `offset` on, at most `length`. */
  readFrom(path: string, offset: number, length: number): Promise<Buffer>;
  /** Undefined when nothing is there; does not follow a final symbolic link. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Atomic and durable: temp file in the same directory, fsync, mode and owner, rename, fsync of the directory. */
  write(path: string, content: Uint8Array | string, options?: WriteOptions): Promise<void>;
  /** Several atomic writes; directories are synced once each. */
  writeAll(entries: { path: string; content: Uint8Array | string; options?: WriteOptions }[]): Promise<void>;
  /** Opens for appending and keeps it open. */
  openAppend(path: string, mode: number): Promise<AppendHandle>;
  /**
   * Writes to a device such as a serial console without ever waiting for it.
   * @returns how many bytes it took; 0 when it takes none now
   */
  writeDevice(path: string, data: Uint8Array): Promise<number>;
  /** Creates missing parents too; an existing directory is left as it is. */
  mkdir(path: string, mode?: number): Promise<void>;
  /** Room of the file system that holds `path`, for unprivileged writers. */
  space(path: string): Promise<{ totalBytes: number; freeBytes: number }>;
  /** Names in a directory, sorted; empty when the directory is not there. */
  list(path: string): Promise<string[]>;
  /** Removes a file or a whole directory; nothing happens when it is not there. */
  remove(path: string): Promise<void>;
  /**
   * Writes a line into a named pipe as soon as somebody reads from it.
   * @throws HostError ETIMEDOUT when nobody does within `timeoutMs`.
   */
  tell(path: string, line: string, timeoutMs: number): Promise<void>;
  /**
   * Calls back soon after an existing file's content has changed, perhaps more than once. Some file systems tell
   * nothing, so look at the file from time to time too. Does not keep the agent running.
   */
  watch(path: string, changed: () => void): Watch;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /** Where the path lies for the agent's own process. */
  real(path: string): Promise<string>;
}

export interface AppendHandle {
  /** Written when it resolves; on disk then too unless `durable` is false, else with the next append that is. */
  append(data: string, durable?: boolean): Promise<void>;
  /** Cuts the file to `length` bytes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface CommandSpec {
  /** Program and arguments; no shell in between. */
  argv: [string, ...string[]];
  /** Added to the agent's environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  input?: string | Uint8Array;
  /** Ends the process group (SIGTERM, then SIGKILL after five seconds) when it takes longer. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Each whole line of output as it comes. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** How much of each stream's end is kept; default 256 KiB. */
  keepBytes?: number;
}

export interface CommandResult {
  /** Exit status; 128 + signal when a signal ended it; 127 when it could not be started. */
  exitStatus: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  ms: number;
}

/**
 * A program that outlives the agent: its output and exit status go to files, so that an agent that was killed and
 * started again finds it, waits for it and learns how it ended, instead of starting it twice.
 */
export interface DurableSpec {
  /** Names the run; a running program with the same name is adopted. */
  name: string;
  argv: [string, ...string[]];
  env?: Record<string, string | undefined>;
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  signal?: AbortSignal;
}

/** A durable program under way. */
export interface DurableHandle {
  /** Was found running or ended, not started now. */
  adopted: boolean;
  /** Delivers all output that has come until now. */
  catchUp(): void;
  result: Promise<DurableResult>;
}

export interface DurableResult {
  /** Undefined when the program vanished without leaving a status (power loss, killed together with the agent). */
  exitStatus: number | undefined;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface Processes {
  /** Runs to the end. Never throws for a program's failure; `exitStatus` tells. */
  run(spec: CommandSpec): Promise<CommandResult>;
  /**
   * Is a durable program of that name running, did it end without anybody having taken its result, or did it vanish
   * without a trace of how it ended? Undefined when there is none.
   */
  findDurable(name: string): Promise<'running' | 'ended' | 'vanished' | undefined>;
  /** Starts, or adopts what `findDurable` found running or ended. The files stay until forgotten. */
  startDurable(spec: DurableSpec): Promise<DurableHandle>;
  /** The same, and waits for the end. */
  runDurable(spec: DurableSpec): Promise<DurableResult>;
  /** Forgets a durable run's files; call it when its result is in the journal. */
  forgetDurable(name: string): Promise<void>;
  /**
   * Replaces this process where the platform can, else runs the program with inherited streams; returns only by
   * @throws HostError when the program cannot be started.
   */
  replace(argv: [string, ...string[]], env?: Record<string, string | undefined>): Promise<never>;
  /** First executable of that name in PATH for which `accept` holds; machine path. */
  which(name: string, accept?: (path: string) => Promise<boolean>): Promise<string | undefined>;
  isAlive(pid: number): boolean;
  /** The name that ps, pgrep and pkill know this process by; Node.js would have it "MainThread". At most 15 bytes count. */
  nameSelf(name: string): void;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  /** At most 64 KiB. */
  body: string;
}

export interface Network {
  /** A client that keeps its connection. It verifies the server unless told otherwise. */
  client(options: HttpClientOptions): HttpClient;
  /**
   * One gRPC call with one message each way, over a Unix socket; `method` is `/SERVICE/METHOD`. An error status of the
   * server is an answer.
   * @throws HostError ENOENT, ECONNREFUSED, ETIMEDOUT and others, EPROTO when no gRPC server answers.
   */
  callUnix(socketPath: string, method: string, message: Uint8Array, timeoutMs: number): Promise<UnaryAnswer>;
}

export interface UnaryAnswer {
  /** gRPC's status; 0 is success. */
  status: number;
  statusMessage: string;
  message: Uint8Array;
}

export interface HttpClientOptions {
  /** PEM; takes the place of the well-known authorities. */
  ca?: string;
  /** PEM, to be known by. */
  certificate?: string;
  key?: string;
  /** URLs of proxies for each kind of request, and a NO_PROXY list of hosts that are asked directly. */
  proxy?: { https?: string; http?: string; except?: string };
  /** Believes any server that it is who it says. For what is learnt from anybody, and never with a secret. */
  insecure?: boolean;
  /** Refuses servers of an older TLS; else Node.js's own least counts. */
  minTls?: 'TLSv1.3';
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** For everything from connecting to the last byte of the answer. */
  timeoutMs: number;
  /** A longer answer is an error; default 64 KiB. */
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface HttpClient {
  /**
   * Any answer resolves, whatever its status.
   * @throws HostError in words for people when there was none; errno ECLIENTCERT when our certificate is the reason.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

/** A disk or partition as the kernel sees it. */
export interface BlockDevice {
  /** Its node below /dev, by the kernel's name, e.g. `/dev/sdb1`. */
  path: string;
  /** Everything that is no partition is a disk: loop devices, RAID arrays, logical volumes. */
  kind: 'disk' | 'partition';
  bytes: number;
  /** Logical sector size. */
  sectorBytes: number;
  /** Those that the kernel has read, by number. */
  partitions: { number: number; path: string }[];
}

export interface BlockDevices {
  /** The device that a node or a link to it stands for; undefined when there is none. */
  find(path: string): Promise<BlockDevice | undefined>;
  /** Is it, or a partition of it, mounted, used as swap, or a part of an array or volume group? */
  isInUse(path: string): Promise<boolean>;
}

/** An operation on the machine failed; `errno` is the kernel's name (ENOSPC, EROFS, ENOENT ...). */
export class HostError extends ExpectedError {
  override readonly name = 'HostError';
  readonly errno: string;
  readonly path: string | undefined;

  constructor(message: string, errno: string, path?: string) {
    super(message);
    this.errno = errno;
    this.path = path;
  }
}
