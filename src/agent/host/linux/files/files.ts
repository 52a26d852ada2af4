import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
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
import { dirname } from 'node:path';
import { type AppendHandle, type FileStat, type Files, HostError, type WriteOptions } from '../../host.ts';
import { toHostError } from '../system/system-error.ts';
import { writeFilesAtomically } from './atomic-file.ts';
import { inodesUsedUp } from './inodes.ts';
import { lookupOwner } from './owners.ts';
import { readUnsized } from './read-unsized.ts';
import { realInRoot, resolveInRoot } from './resolve.ts';
import { tellPipe } from './tell-pipe.ts';
import { watchFile } from './watch-file.ts';
import { writeDevice } from './write-device.ts';

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

  const prepare = (entry: Write, made: Set<string>) => {
    const { path, content, options = {} } = entry;
    const target = at(path);
    const owner = options.owner === undefined ? undefined : lookupOwner(root, options.owner);
    const directory = dirname(target);
    if (!made.has(directory)) {
      attempt('creating the directory of', path, () =>
        makeDirectories(directory, 0o755, options.ownsParents ? owner : undefined),
      );
      made.add(directory);
    }
    return {
      path: target,
      content: typeof content === 'string' ? Buffer.from(content) : content,
      mode: options.mode ?? 0o644,
      volatile: options.volatile ?? false,
      ...(owner === undefined ? {} : { owner }),
    };
  };

  const writeAll = async (entries: Write[]): Promise<void> => {
    const made = new Set<string>();
    const writes = entries.map((entry) => prepare(entry, made));
    // A rename cannot replace a device, a /proc file or a bind-mounted file; only a write in place works.
    const inPlace = writes.filter(({ path }) => !isReplaceable(path));
    for (const write of inPlace) attempt('writing', write.path, () => writeInPlace(write));
    try {
      await writeFilesAtomically(writes.filter((write) => !inPlace.includes(write)));
    } catch (error) {
      const real = error instanceof Error && 'path' in error ? String(error.path) : '';
      const index = writes.findIndex(({ path }) => path === real);
      throw errorOf(error, 'writing', entries[index]?.path ?? real);
    }
  };

  return {
    writeAll,
    write: (path, content, options) => writeAll([options ? { path, content, options } : { path, content }]),

    async read(path) {
      return attempt('reading', path, () => readFileSync(at(path)));
    },

    async readIfPresent(path, maxBytes) {
      return attempt('reading', path, () => {
        const real = at(path);
        const stat = statSync(real, { throwIfNoEntry: false });
        if (!stat) return undefined;
        if (maxBytes !== undefined && stat.size > maxBytes) {
          throw new HostError(
            `${path} has ${stat.size} bytes, more than the ${maxBytes} allowed`,
            'EFBIG',
            path,
          );
        }
        return stat.size === 0 ? readUnsized(real) : readFileSync(real);
      });
    },

    async readFrom(path, offset, length) {
      return attempt('reading', path, () => {
        const fd = openSync(at(path), 'r');
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
        const target = at(path);
        makeDirectories(dirname(target), 0o755);
        return appendHandle(openSync(target, 'a', mode), path);
      });
    },

    async writeDevice(path, data) {
      return attempt('writing to', path, () => writeDevice(at(path), data));
    },

    async mkdir(path, mode) {
      attempt('creating', path, () => makeDirectories(at(path), mode ?? 0o755));
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
        const real = at(path, false);
        const stat = lstatSync(real, { throwIfNoEntry: false });
        // For a file, rmSync words the system's error in its own way, so call the system directly.
        if (stat?.isDirectory()) rmSync(real, { recursive: true, force: true });
        else if (stat) unlinkSync(real);
      });
    },

    tell: (path, line, timeoutMs) => tellPipe(at(path), path, line, timeoutMs),

    watch: (path, changed) => attempt('watching', path, () => watchFile(at(path), changed)),

    async rename(from, to) {
      attempt('renaming', from, () => renameSync(at(from, false), at(to, false)));
    },

    async symlink(target, path) {
      attempt('linking', path, () => {
        const link = at(path, false);
        makeDirectories(dirname(link), 0o755);
        symlinkSync(target, link);
      });
    },

    async readlink(path) {
      return attempt('reading the link', path, () => readlinkSync(at(path, false)));
    },

    async real(path) {
      return attempt('resolving', path, () => realInRoot(root, path));
    },
  };
}

/**
 * Makes the missing directories of a path and gives them to `owner`. One by one: Node.js's recursive mkdir says "no such
 * file or directory" whatever the reason is.
 */
function makeDirectories(path: string, mode: number, owner?: { uid: number; gid: number }): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeDirectories(dirname(path), mode, owner);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another program may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    throw error;
  }
  if (owner) lchownSync(path, owner.uid, owner.gid);
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

function isReplaceable(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return true;
  if (stat.isDirectory()) throw new HostError(`writing ${path}: is a directory`, 'EISDIR', path);
  if (!stat.isFile()) return false;
  const parent = lstatSync(dirname(path));
  // A file on another device than its directory is a mount point; /proc and /sys files have no rename.
  return stat.dev === parent.dev && !/^\/(proc|sys)\//.test(path);
}

function writeInPlace(write: {
  path: string;
  content: Uint8Array;
  mode: number;
  owner?: { uid: number; gid: number };
}) {
  const fd = openSync(write.path, 'r+');
  try {
    const regular = lstatSync(write.path).isFile() && !/^\/(proc|sys)\//.test(write.path);
    if (regular) ftruncateSync(fd, 0);
    let written = 0;
    while (written < write.content.length) written += writeSync(fd, write.content, written);
    if (!regular) return;
    if (write.owner) fchownSync(fd, write.owner.uid, write.owner.gid);
    fchmodSync(fd, write.mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
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
        const bytes = Buffer.from(data);
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
