import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { tempFileIn } from '../../common/files/leftover-temps.ts';
import { isErrno } from '../../common/system/system-error.ts';

const fsyncAsync = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fsync(fd, (error) => (error ? reject(error) : resolve()));
  });

export interface AtomicWrite {
  path: string;
  content: Uint8Array;
  mode: number;
  /** Numeric owner and group; default: the process's own. */
  owner?: { uid: number; gid: number };
  /** Does not sync, because a reboot takes the file anyway. Every reader still sees all of it or nothing. */
  volatile?: boolean;
}

/** Most files open at a time; a process may have 1,024. */
const MOST_OPEN = 256;

/**
 * Writes files so that each is the old one or the new one and never a mixture, whatever happens to the
 * machine: temp file in the same directory, mode and owner, fsync, rename, fsync of the directory.
 *
 * Files in one directory share its sync. After a failure it removes its temp files; files that it has already
 * renamed stay.
 *
 * @throws the system's error (ENOSPC, EROFS, EACCES ...) with `path` set to the intended file
 */
export async function writeFilesAtomically(writes: readonly AtomicWrite[]): Promise<void> {
  for (let from = 0; from < writes.length; from += MOST_OPEN) {
    await writeBatch(writes.slice(from, from + MOST_OPEN));
  }
}

async function writeBatch(writes: readonly AtomicWrite[]): Promise<void> {
  const open: { temp: string; fd: number; write: AtomicWrite }[] = [];
  const looked = new Set<string>();
  try {
    for (const write of writes) {
      open.push({ ...writeTemp(write, looked), write });
    }
    const durable = writes.filter((write) => !write.volatile);
    await Promise.all(
      open
        .filter(({ write }) => durable.includes(write))
        .map(({ fd, write }) => naming(write.path, () => fsyncAsync(fd))),
    );
    while (open.length > 0) {
      const [{ temp, fd, write }] = open as [(typeof open)[number]];
      closeSync(fd);
      try {
        renameSync(temp, write.path);
      } catch (error) {
        rmSync(temp, { force: true });
        open.shift();
        throw named(error, write.path);
      }
      open.shift();
    }
    await Promise.all([...new Set(durable.map(({ path }) => dirname(path)))].map(syncDirectory));
  } finally {
    for (const { temp, fd } of open) {
      closeSync(fd);
      rmSync(temp, { force: true });
    }
  }
}

function writeTemp(write: AtomicWrite, looked: Set<string>): { temp: string; fd: number } {
  const temp = tempFileIn(dirname(write.path), looked);
  try {
    // Nobody else may read it before it has its final mode and owner.
    const fd = openSync(temp, 'wx', 0o600);
    try {
      let written = 0;
      while (written < write.content.length) written += writeSync(fd, write.content, written);
      if (write.owner) fchownSync(fd, write.owner.uid, write.owner.gid);
      fchmodSync(fd, write.mode);
    } catch (error) {
      closeSync(fd);
      rmSync(temp, { force: true });
      throw error;
    }
    return { temp, fd };
  } catch (error) {
    recordInodeExhaustion(error, write.path);
    throw named(error, write.path);
  }
}

async function syncDirectory(path: string): Promise<void> {
  const fd = openSync(path, 'r');
  try {
    await fsyncAsync(fd);
  } catch {
    // Some file systems (overlay on odd lowers, network ones) cannot sync a directory; a second try exposes a
    // real fault.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(error, path);
  }
}

function named(error: unknown, path: string): unknown {
  if (error instanceof Error) Object.assign(error, { path });
  return error;
}

/**
 * Are the inodes of the file system used up that holds `path` or is to hold it? Linux says "no space" then too. File
 * systems without a fixed number of inodes tell none at all.
 */
function inodesUsedUp(path: string): boolean {
  let present = path;
  while (statSync(present, { throwIfNoEntry: false }) === undefined && present !== '/')
    present = dirname(present);
  const { files, ffree } = statfsSync(present);
  return files > 0 && ffree === 0;
}

const LACKING = new WeakSet<Error>();

/**
 * Remembers whether it was for inodes that a file at `path` was not made. Ask before what was made with it is removed: that
 * sets some free.
 */
function recordInodeExhaustion(error: unknown, path: string): void {
  if (isErrno(error, 'ENOSPC') && inodesUsedUp(path)) LACKING.add(error as Error);
}

/** Were inodes used up when this error came up, or are they now? */
export function ranOutOfInodes(error: unknown, path: string): boolean {
  return isErrno(error, 'ENOSPC') && (LACKING.has(error as Error) || inodesUsedUp(path));
}
