import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lchownSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readBounded } from '../../common/files/read-bounded.ts';
import { watchFile } from '../../common/files/watch-file.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import type { AppendHandle, FileStat, Files, WriteOptions } from '../../files.ts';
import { HostError } from '../../host.ts';
import { type AtomicWrite, writeFilesAtomically } from './atomic-file.ts';
import { inodesUsedUp } from './inodes.ts';
import { openParent, type Parent } from './paths/open-parent.ts';
import { openRegular } from './paths/open-regular.ts';
import { lookupOwner } from './paths/owners.ts';
import { realInRoot, resolveInRoot } from './paths/resolve.ts';
import { tellPipe } from './tell-pipe.ts';
import { writeDevice } from './write-device.ts';
import { wroteInPlace } from './write-in-place.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NOCTTY } = constants;
/** No file that Slipway reads as a whole is larger; a caller may allow less. */
const MOST_BYTES = 256 * 1024 * 1024;

type Write = { path: string; content: Uint8Array | string; options?: WriteOptions };

/** The file system below `root`. At start-up its synchronous calls cost a tenth of asynchronous ones. */
export function createFiles(root: string): Files {
  const at = (path: string, followLast = true) => resolveInRoot(root, path, followLast);

  const attempt = <T>(doing: string, path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw errorOf(error, doing, path);
    }
  };

  const errorOf = (error: unknown, doing: string, path: string): HostError => {
    const failed = toHostError(error, doing, path);
    if (failed.errno !== 'ENOSPC' || !inodesUsedUp(at(path, false))) return failed;
    return new HostError(
      `${doing} ${path}: no inodes left, the file system holds too many files`,
      'ENOSPC',
      path,
    );
  };

  /** `work` gets the directory's path, which nobody can give another meaning meanwhile. */
  const inDirectory = <T>(path: string, mode: number, work: (directory: string) => T): T => {
    const { directory, close } = openParent(root, join(path, '.slipway'), { mode });
    try {
      return work(directory);
    } finally {
      close();
    }
  };

  /** @returns undefined if it was written in place */
  const prepare = (entry: Write, parents: Parent[]): AtomicWrite | undefined => {
    const { path, content, options = {} } = entry;
    const owner = options.owner === undefined ? undefined : lookupOwner(root, options.owner);
    const parent = attempt('creating the directory of', path, () =>
      openParent(root, path, {
        mode: options.parentsMode ?? 0o755,
        ...(options.ownsParents && owner ? { owner } : {}),
      }),
    );
    parents.push(parent);
    const write = {
      path: join(parent.directory, parent.name),
      content: typeof content === 'string' ? Buffer.from(content) : content,
      mode: options.mode ?? 0o644,
      volatile: options.volatile ?? false,
      ...(owner === undefined ? {} : { owner }),
    };
    return attempt('writing', path, () => (wroteInPlace(write, parent, path) ? undefined : write));
  };

  const writeAll = async (entries: Write[]): Promise<void> => {
    const parents: Parent[] = [];
    const writes: AtomicWrite[] = [];
    const asked = new Map<string, string>();
    try {
      for (const entry of entries) {
        const write = prepare(entry, parents);
        if (write) writes.push(write);
        if (write) asked.set(write.path, entry.path);
      }
      await writeFilesAtomically(writes);
    } catch (error) {
      const real = error instanceof Error && 'path' in error ? String(error.path) : '';
      throw errorOf(error, 'writing', asked.get(real) ?? real);
    } finally {
      for (const parent of parents) parent.close();
    }
  };

  return {
    writeAll,
    write: (path, content, options) => writeAll([options ? { path, content, options } : { path, content }]),

    async read(path, maxBytes = MOST_BYTES) {
      return attempt('reading', path, () => {
        const fd = openSync(at(path), 'r');
        try {
          return readBounded(fd, fstatSync(fd).size, maxBytes, path);
        } finally {
          closeSync(fd);
        }
      });
    },

    async readIfPresent(path, maxBytes = MOST_BYTES) {
      return attempt('reading', path, () => {
        const file = ifPresent(() => openRegular(root, path));
        if (!file) return undefined;
        try {
          return readBounded(file.fd, file.size, maxBytes, path);
        } finally {
          closeSync(file.fd);
        }
      });
    },

    async readFrom(path, offset, length) {
      return attempt('reading', path, () => {
        const { fd } = openRegular(root, path);
        try {
          const buffer = Buffer.alloc(length);
          return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
        } finally {
          closeSync(fd);
        }
      });
    },

    async stat(path) {
      return attempt('looking at', path, () => {
        const stat = lstatSync(at(path, false), { throwIfNoEntry: false });
        return stat && describe(stat);
      });
    },

    async openAppend(path, mode) {
      return attempt('opening', path, () => {
        const { directory, name, close } = openParent(root, path, { mode: 0o755 });
        try {
          const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY;
          return appendHandle(openSync(join(directory, name), flags, mode), path);
        } finally {
          close();
        }
      });
    },

    async writeDevice(path, data) {
      return attempt('writing to', path, () => writeDevice(at(path), data));
    },

    async mkdir(path, mode) {
      attempt('creating', path, () => inDirectory(path, mode ?? 0o755, () => undefined));
    },

    async space(path) {
      return attempt('asking for the space of', path, () => {
        const { bsize, blocks, bavail } = statfsSync(at(path));
        return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
      });
    },

    async list(path) {
      return attempt('listing', path, () => {
        const target = at(path);
        return statSync(target, { throwIfNoEntry: false }) ? readdirSync(target).sort() : [];
      });
    },

    async remove(path) {
      attempt('removing', path, () => {
        if (!lstatSync(at(path, false), { throwIfNoEntry: false })) return;
        inDirectory(dirname(path), 0o755, (directory) => remove(join(directory, basename(path))));
      });
    },

    tell: (path, line, timeoutMs) => tellPipe(at(path), path, line, timeoutMs),

    watch: (path, changed) => attempt('watching', path, () => watchFile(at(path), changed)),

    async rename(from, to) {
      attempt('renaming', from, () => renameSync(at(from, false), at(to, false)));
    },

    async symlink(target, path) {
      attempt('linking', path, () => {
        inDirectory(dirname(path), 0o755, (directory) =>
          symlinkSync(target, join(directory, basename(path))),
        );
      });
    },

    async link(existing, path) {
      attempt('linking', path, () => {
        const source = at(existing, false);
        inDirectory(dirname(path), 0o755, (directory) => linkOnce(source, join(directory, basename(path))));
      });
    },

    async setAttributes(path, { mode, uid, gid }) {
      attempt('changing the owner of', path, () => {
        inDirectory(dirname(path), 0o755, (directory) => {
          const target = join(directory, basename(path));
          lchownSync(target, uid, gid);
          // After the owner: a change of it takes the setuid and setgid bits away.
          if (mode !== undefined && !lstatSync(target).isSymbolicLink()) chmodSync(target, mode);
        });
      });
    },

    owner: (owner) => lookupOwner(root, owner),

    async readlink(path) {
      return attempt('reading the link', path, () => readlinkSync(at(path, false)));
    },

    async real(path) {
      return attempt('resolving', path, () => realInRoot(root, path));
    },
  };
}

function remove(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // For a file, rmSync words the system's error in its own way, so call the system directly.
  if (stat?.isDirectory()) rmSync(path, { recursive: true, force: true });
  else if (stat) unlinkSync(path);
}

function linkOnce(source: string, path: string): void {
  try {
    linkSync(source, path);
  } catch (error) {
    const [one, other] = [source, path].map((name) => lstatSync(name, { throwIfNoEntry: false }));
    const isSame = one !== undefined && one.ino === other?.ino && one.dev === other.dev;
    if (!isErrno(error, 'EEXIST') || !isSame) throw error;
  }
}

function ifPresent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

function describe(stat: NonNullable<ReturnType<typeof lstatSync>>): FileStat {
  const kind = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'directory'
      : stat.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return {
    kind,
    size: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
  };
}

function appendHandle(fd: number, path: string): AppendHandle {
  const guarded = (doing: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      throw toHostError(error, doing, path);
    }
  };
  let isSynced = true;
  const sync = () => {
    fsyncSync(fd);
    isSynced = true;
  };
  return {
    async append(data, durable = true) {
      guarded('writing', () => {
        const bytes = typeof data === 'string' ? Buffer.from(data) : data;
        isSynced = false;
        let written = 0;
        while (written < bytes.length) written += writeSync(fd, bytes, written);
        if (durable) sync();
      });
    },
    async truncate(length) {
      guarded('truncating', () => {
        ftruncateSync(fd, length);
        sync();
      });
    },
    async close() {
      try {
        if (!isSynced) guarded('writing', sync);
      } finally {
        closeSync(fd);
      }
    },
  };
}
