/** The part of a `Host` that is its files. */

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
  /** The file need not survive a reboot, as in /run: the write is atomic but not synced to the disk. */
  volatile?: boolean;
}

/**
 * Something below a directory to which containers write, even as root: `names` lead there from `base`, one directory after the
 * other, and none of them may be a symbolic link.
 */
export interface PlaceBelow {
  readonly base: string;
  readonly names: readonly string[];
}

/** A file under watch. */
export interface Watch {
  /**
   * All that the file holds now; nothing if it is gone. It stays open for that, so that looking at it often is cheap.
   * @throws HostError EFBIG
   */
  read(): Buffer;
  close(): void;
}

/**
 * What others than root can change on the way to a file never gets root's rights: `readIfPresent` and `readFrom` read with the
 * rights of whoever can, and what writes follows no link of theirs (docs/decisions/foreign-paths.md).
 */
export interface Files {
  /**
   * For paths that a person named, pipes too; no longer waits for a pipe than whoever would write into it needs to start.
   * @throws HostError ENOENT if it is missing, EFBIG, ETIMEDOUT if nobody writes into a pipe
   */
  read(path: string, maxBytes?: number): Promise<Buffer>;
  /**
   * Undefined if the file is missing. Never waits.
   * @throws HostError EINVAL if it is no regular file, EFBIG
   */
  readIfPresent(path: string, maxBytes?: number): Promise<Buffer | undefined>;
  /** At most `length` bytes of a regular file, from `offset` on. Never waits. */
  readFrom(path: string, offset: number, length: number): Promise<Buffer>;
  /**
   * The end of a regular file with one name, at most `maxBytes`; undefined if it is missing. Follows no link below `base`, and
   * opens nothing but such files. Never waits.
   * @throws HostError ELOOP for a link, EINVAL if it is no regular file or has other names (hard links)
   */
  readEndBelow(place: PlaceBelow, maxBytes: number): Promise<{ bytes: Buffer; isWhole: boolean } | undefined>;
  /**
   * Sorted names in a directory, at most `most`; empty if it is missing. Follows no link below `base`.
   * @throws HostError ELOOP for a link, ENOTDIR
   */
  listBelow(place: PlaceBelow, most: number): Promise<string[]>;
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
  /** Differs for each other file at that path, and after each change of it; undefined if it is no regular file. */
  identity(path: string): Promise<string | undefined>;
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
