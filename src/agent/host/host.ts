/**
 * The machine behind one interface. Whatever Slipway does to a machine or learns from it goes through a
 * `Host`, so that steps can run below a directory (`--root`), be recorded, and be tested.
 *
 * Paths are absolute paths as the machine sees them. The host maps them below its root and never follows a
 * symbolic link out of it.
 */

import { ExpectedError } from '../../kit/errors.ts';
import type { TpmChannel } from '../../tpm/channel.ts';
import type { BlockDevices } from './block-devices.ts';
import type { Files } from './files.ts';
import type { Network } from './network.ts';
import type { Processes } from './processes.ts';

/**
 * How programs of a root other than `/` run: `ask` apart from the host and changing nothing, `change` apart from the host, where
 * they may change the root, and `trust` as root in a chroot, which any of them can leave.
 */
export type RootPrograms = 'ask' | 'change' | 'trust';

export interface Host {
  readonly platform: 'linux' | 'windows';
  /** The directory that stands for the machine's `/`; `/` on the real machine. */
  readonly root: string;
  readonly files: Files;
  /** The agent's own files, whatever `root` is: paths that a person named, and its own program. */
  readonly ownFiles: Files;
  readonly clock: Clock;
  /** Starts programs; below a root as `RootPrograms` says. */
  readonly processes: Processes;
  readonly network: Network;
  readonly blockDevices: BlockDevices;
  /**
   * A conversation with the TPM behind a device node, or behind a socket in its place; undefined if nothing is there.
   * @throws HostError if it cannot be opened
   */
  tpm(path: string): Promise<TpmChannel | undefined>;
  /**
   * Reads files that a driver answers for, which may never do it: in the order given, at most 4 KiB of each, and in about a
   * second altogether. A program of its own reads them; it is left behind where it hangs.
   */
  readSlow(paths: readonly string[]): Promise<SlowReadResult[]>;
  /** The addresses of interfaces that are up, with the length of the prefix; none below a root. */
  interfaceAddresses(): { name: string; address: string }[];
  /** Uniform in [0, 1). */
  random(): number;
  /** Unique id, e.g. for a run. */
  uuid(): string;
  /** The kernel's boot id; differs after every reboot. */
  bootId(): Promise<string>;
  /** The id that the system gave this installation; undefined where it has none, or it is not set yet. */
  machineId(): Promise<string | undefined>;
  /** The host name in force. */
  hostname(): string;
  /** An environment variable of the agent's own process. */
  env(name: string): string | undefined;
  /** Keeps this process small rather than fast from now on; for a process that mostly waits. */
  stayLean(): void;
  /** Holds `name` until this process ends, even by a crash. @returns `heldBy` if another process holds it */
  lock(name: string): Promise<Lock | { heldBy: number | undefined }>;
}

/** What a file holds, or why that is not known, in words. */
export type SlowReadResult = { bytes: Uint8Array } | { problem: string };

export interface Lock {
  release(): Promise<void>;
}

export interface Clock {
  now(): Date;
  /** Milliseconds since boot, including suspend; does not jump. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An operation on the machine failed; `errno` is the kernel's name (ENOSPC, EROFS, ENOENT ...). */
export class HostError extends ExpectedError {
  override readonly name = 'HostError';
  readonly errno: string;
  readonly path: string | undefined;
  /** Of a time limit: the other side had taken the connection, and said nothing more, not even in TLS. */
  readonly isMute: boolean;

  constructor(message: string, errno: string, path?: string, isMute = false) {
    super(message);
    this.errno = errno;
    this.path = path;
    this.isMute = isMute;
  }
}
