/**
 * The machine behind one interface. Whatever Slipway does to a machine or learns from it goes through a
 * `Host`, so that steps can run below a directory (`--root`), be recorded, and be tested.
 *
 * Paths are absolute paths as the machine sees them. The host maps them below its root and never follows a
 * symbolic link out of it.
 */

import { ExpectedError } from '../../kit/errors.ts';
import type { TpmChannel } from '../../tpm/channel.ts';

export interface Host {
  readonly platform: 'linux' | 'windows';
  /** The directory that stands for the machine's `/`; `/` on the real machine. */
  readonly root: string;
  readonly files: Files;
  /** The agent's own files, whatever `root` is: paths that a person named, and its own program. */
  readonly ownFiles: Files;
  readonly clock: Clock;
  /** Starts programs; below a root they run in a chroot. */
  readonly processes: Processes;
  readonly network: Network;
  readonly blockDevices: BlockDevices;
  /**
   * A conversation with the TPM behind a device node, or behind a socket in its place; undefined if nothing is there.
   * @throws HostError if it cannot be opened
   */
  tpm(path: string): Promise<TpmChannel | undefined>;
  /** Uniform in [0, 1). */
  random(): number;
  /** Unique id, e.g. for a run. */
  uuid(): string;
  /** The kernel's boot id; differs after every reboot. */
  bootId(): Promise<string>;
  /** The host name in force. */
  hostname(): string;
  /** An environment variable of the agent's own process. */
  env(name: string): string | undefined;
  /** Keeps this process small rather than fast from now on; for a process that mostly waits. */
  stayLean(): void;
  /** Holds `name` until this process ends, even by a crash. @returns `heldBy` if another process holds it */
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
  /** Permission bits; 0o644 is the default for a new file. */
  mode?: number;
  /** `user`, `user:group`, or numeric ids; the machine's own passwd and group files resolve names. */
  owner?: string;
  /** Gives directories that are made for the file its owner too; otherwise they belong to the agent. */
  ownsParents?: boolean;
  /** Permission bits of directories that are made for the file; default 0o755. */
  parentsMode?: number;
  /** For files that no reboot is to survive, as in /run: the write is atomic but not synced to the disk. */
  volatile?: boolean;
}

/** A file under watch. */
export interface Watch {
  close(): void;
}

/**
 * What others than root can change on the way to a file never gets root's rights: `readIfPresent` and `readFrom` read with the
 * rights of whoever can, and what writes follows no link of theirs (docs/decisions/foreign-paths.md).
 */
export interface Files {
  /**
   * For paths that a person named, pipes too.
   * @throws HostError ENOENT if it is missing, EFBIG
   */
  read(path: string, maxBytes?: number): Promise<Buffer>;
  /**
   * Undefined if the file is missing. Never waits.
   * @throws HostError EINVAL if it is no regular file, EFBIG
   */
  readIfPresent(path: string, maxBytes?: number): Promise<Buffer | undefined>;
  /** At most `length` bytes of a regular file, from `offset` on. Never waits. */
  readFrom(path: string, offset: number, length: number): Promise<Buffer>;
  /** Undefined if nothing is there. Does not follow a final symbolic link. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Atomic and durable: temp file in the same directory, fsync, mode and owner, rename, fsync of the directory. */
  write(path: string, content: Uint8Array | string, options?: WriteOptions): Promise<void>;
  /** Several atomic writes that sync each directory once. */
  writeAll(entries: { path: string; content: Uint8Array | string; options?: WriteOptions }[]): Promise<void>;
  /** Opens for appending; the handle keeps the file open. */
  openAppend(path: string, mode: number): Promise<AppendHandle>;
  /**
   * Writes to a device such as a serial console and never waits for it.
   * @returns how many bytes the device took; 0 if it takes none now
   */
  writeDevice(path: string, data: Uint8Array): Promise<number>;
  /** Makes missing parents too; leaves an existing directory unchanged. */
  mkdir(path: string, mode?: number): Promise<void>;
  /** The size of `path`'s file system and the space for unprivileged writers. */
  space(path: string): Promise<{ totalBytes: number; freeBytes: number }>;
  /** Sorted names in a directory; empty if the directory is missing. */
  list(path: string): Promise<string[]>;
  /** Removes a file or a whole directory; does nothing if it is missing. */
  remove(path: string): Promise<void>;
  /**
   * Writes a line into a named pipe as soon as somebody reads from it.
   * @throws HostError ETIMEDOUT if nobody does within `timeoutMs`
   */
  tell(path: string, line: string, timeoutMs: number): Promise<void>;
  /**
   * Calls back soon after an existing file's content has changed, perhaps more than once. Some file systems
   * report nothing, so look at the file from time to time too. The watch does not keep the agent running.
   */
  watch(path: string, changed: () => void): Watch;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  /**
   * Makes `path` another name of the file `existing`; does nothing if it is.
   * @throws HostError EEXIST
   */
  link(existing: string, path: string): Promise<void>;
  /** Gives what is at `path`, and no target of a link there, an owner and permission bits; a link has no bits. */
  setAttributes(path: string, attributes: { mode?: number; uid: number; gid: number }): Promise<void>;
  /** Looks an owner up as `write` does. @throws HostError EINVAL if the machine does not know it */
  owner(owner: string): { uid: number; gid: number };
  readlink(path: string): Promise<string>;
  /** The path as the agent's own process sees it. */
  real(path: string): Promise<string>;
}

export interface AppendHandle {
  /**
   * Resolves after the write; unless `durable` is false, the data is then on disk. Otherwise the next durable
   * append brings it there.
   */
  append(data: string | Uint8Array, durable?: boolean): Promise<void>;
  /** Cuts the file to `length` bytes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

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
  /** The machine path of the first executable of that name in PATH that `accept` allows. */
  which(name: string, accept?: (path: string) => Promise<boolean>): Promise<string | undefined>;
  isAlive(pid: number): boolean;
  /** Sets this process's name for ps, pgrep and pkill (default: "MainThread"). At most 15 bytes count. */
  nameSelf(name: string): void;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  /** At most 64 KiB, unless the request allows more. */
  body: string;
  /** The exported keying material that was asked for, of the connection on which the answer came. */
  exported?: Uint8Array;
}

export interface Network {
  /** A client that keeps its connection open. It verifies the server unless told otherwise. */
  client(options: HttpClientOptions): HttpClient;
  /**
   * Makes one unary gRPC call over a Unix socket; `method` is `/SERVICE/METHOD`. An error status from the
   * server is an answer.
   * @throws HostError ENOENT, ECONNREFUSED, ETIMEDOUT and others; EPROTO if no gRPC server answers
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
  /** PEM; replaces the well-known authorities. */
  ca?: string;
  /** PEM; they count beside the well-known authorities. */
  moreAuthorities?: readonly string[];
  /** PEM; the client shows it to the server. */
  certificate?: string;
  key?: string;
  /** Proxy URLs for https and http requests, and a NO_PROXY list of hosts to reach directly. */
  proxy?: { https?: string; http?: string; except?: string };
  /** Accepts any server certificate. Use it only for public knowledge, never with a secret. */
  insecure?: boolean;
  /** Refuses an older TLS; the default is Node.js's own minimum. */
  minTls?: 'TLSv1.3';
  /** Speaks HTTP over this Unix socket, whatever host the URL names. */
  socketPath?: string;
  /** Connects to this address, whatever host the URL names: a URL cannot hold `fe80::1%eth0`. */
  address?: string;
  /** The local port to connect from; for servers that trust ports below 1024. */
  localPort?: number;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Covers everything from connecting to the answer's last byte. */
  timeoutMs: number;
  /** A longer answer is an error; default 64 KiB. */
  maxBytes?: number;
  /** The body need not be text: each of its characters is one byte (latin1). */
  binary?: boolean;
  /** Gets the body of an answer of status 200 piece by piece; the answer has none then. */
  sink?: (piece: Uint8Array) => Promise<void>;
  signal?: AbortSignal;
  /** Asks for keying material of the TLS connection (RFC 5705) under this label. */
  exporter?: { label: string; bytes: number };
}

export interface HttpClient {
  /**
   * Resolves with any answer, whatever its status.
   * @throws HostError in words for people if there was none; errno ECLIENTCERT if our certificate is the
   * reason
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

/** A disk or partition as the kernel sees it. */
export interface BlockDevice {
  /** Its device node by the kernel's name, e.g. `/dev/sdb1`. */
  path: string;
  /** Everything but a partition counts as a disk: loop devices, RAID arrays, logical volumes. */
  kind: 'disk' | 'partition';
  bytes: number;
  /** Logical sector size. */
  sectorBytes: number;
  /** The partitions that the kernel knows, by number. */
  partitions: { number: number; path: string }[];
}

export interface BlockDevices {
  /** The device behind a device node or a link to one; undefined if there is none. */
  find(path: string): Promise<BlockDevice | undefined>;
  /** Is it or one of its partitions mounted, used as swap, or part of an array or volume group? */
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
