import {
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { appendHandle } from '../../common/files/append-handle.ts';
import { identityOf, ifPresent, kindOf, linkOnce } from '../../common/files/entries.ts';
import { MAX_FILE_BYTES, readOpen, readPart } from '../../common/files/read-open.ts';
import { watchFile } from '../../common/files/watch-file.ts';
import { toHostError } from '../../common/system/system-error.ts';
import type { FileStat, Files, WriteOptions } from '../../files.ts';
import { HostError } from '../../host.ts';
import { type AtomicWrite, ranOutOfInodes, writeFilesAtomically } from './atomic-file.ts';
import { changeOwner } from './change-owner.ts';
import { openNamed } from './open-named.ts';
import { openToAppend } from './open-to-append.ts';
import { openParent, type Parent } from './paths/open-parent.ts';
import { openIfPresent, openRegular } from './paths/open-regular.ts';
import { lookupOwner } from './paths/owners.ts';
import { realInRoot, resolveInRoot } from './paths/resolve.ts';
import type { KnownDirectories } from './paths/trusted-path.ts';
import { listBelow, readTailBelow } from './read-below.ts';
import { writeDevice, writeInPlace, writeToPipe } from './write-in-place.ts';

/** @throws HostError that names the file, for whoever has several */
function ownerOf(root: string, owner: string, path: string): { uid: number; gid: number } {
  try {
    return lookupOwner(root, owner);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new HostError(`${path} cannot be written: ${error.message}`, error.errno);
  }
}

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
    if (failed.errno !== 'ENOSPC' || !ranOutOfInodes(error, at(path, false))) return failed;
    return new HostError(
      `${doing} ${path}: no inodes left, the file system holds too many files`,
      'ENOSPC',
      path,
    );
  };

  /** `work` gets the directory's path, which nobody can give another meaning meanwhile. */
  const inDirectory = <T>(
    path: string,
    mode: number,
    work: (directory: string, isForeign: boolean) => T,
  ): T => {
    const { directory, isForeign, close } = openParent(root, join(path, '.slipway'), { mode });
    try {
      return work(directory, isForeign);
    } finally {
      close();
    }
  };

  /** @returns undefined if it was written in place */
  const prepare = (entry: Write, parents: Parent[], known: KnownDirectories): AtomicWrite | undefined => {
    const { path, content, options = {} } = entry;
    const owner = options.owner === undefined ? undefined : ownerOf(root, options.owner, path);
    const parent = attempt('creating the directory of', path, () =>
      openParent(
        root,
        path,
        {
          mode: options.parentsMode ?? 0o755,
          ...(options.ownsParents && owner ? { owner } : {}),
        },
        known,
      ),
    );
    parents.push(parent);
    const write = {
      path: join(parent.directory, parent.name),
      content: typeof content === 'string' ? Buffer.from(content) : content,
      mode: options.mode ?? 0o644,
      volatile: options.volatile ?? false,
      ...(owner === undefined ? {} : { owner }),
    };
    return attempt('writing', path, () => (writeInPlace(write, parent, { root, path }) ? undefined : write));
  };

  const writeAll = async (entries: Write[]): Promise<void> => {
    const parents: Parent[] = [];
    const writes: AtomicWrite[] = [];
    const asked = new Map<string, string>();
    const known: KnownDirectories = new Map();
    try {
      for (const entry of entries) {
        const write = prepare(entry, parents, known);
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

    async read(path, maxBytes = MAX_FILE_BYTES) {
      const file = attempt('reading', path, () => openNamed(at(path), path));
      if (!file.isSlow) return attempt('reading', path, () => readOpen(file, maxBytes, path));
      try {
        return await (await import('./read-pipe.ts')).readPipe(file.fd, maxBytes, path);
      } catch (error) {
        throw errorOf(error, 'reading', path);
      }
    },

    async readIfPresent(path, maxBytes = MAX_FILE_BYTES) {
      return attempt('reading', path, () => {
        const file = ifPresent(() => openIfPresent(root, path));
        return file && readOpen(file, maxBytes, path);
      });
    },

    async readFrom(path, offset, length) {
      return attempt('reading', path, () => readPart(openRegular(root, path), offset, length));
    },

    async readEndBelow(place, maxBytes) {
      const path = [place.base, ...place.names].join('/');
      return attempt('reading', path, () => readTailBelow(at(place.base), place.names, maxBytes));
    },

    async listBelow(place, most) {
      const path = [place.base, ...place.names].join('/');
      return attempt('listing', path, () => listBelow(at(place.base), place.names, most));
    },

    async stat(path) {
      return attempt('looking at', path, () => {
        const stat = lstatSync(at(path, false), { throwIfNoEntry: false });
        return stat && describe(stat);
      });
    },

    async openAppend(path, mode) {
      return attempt('opening', path, () => {
        const parent = openParent(root, path, { mode: 0o755 });
        try {
          const fd = openToAppend(parent, path, mode);
          return appendHandle(fd, path, (bytes) => writeSync(fd, bytes));
        } finally {
          parent.close();
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

    tell: (path, line, timeoutMs) => writeToPipe(at(path), path, line, timeoutMs),

    watch: (path, changed) =>
      attempt('watching', path, () => watchFile(at(path), changed, () => openRegular(root, path))),

    async rename(from, to) {
      attempt('renaming', from, () => {
        inDirectory(dirname(from), 0o755, (here) =>
          inDirectory(dirname(to), 0o755, (there) =>
            renameSync(join(here, basename(from)), join(there, basename(to))),
          ),
        );
      });
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

    async setAttributes(path, attributes) {
      attempt('changing the owner of', path, () => {
        inDirectory(dirname(path), 0o755, (directory, isForeign) =>
          changeOwner(join(directory, basename(path)), attributes, isForeign),
        );
      });
    },

    owner: (owner) => lookupOwner(root, owner),

    async readlink(path) {
      return attempt('reading the link', path, () => readlinkSync(at(path, false)));
    },

    async real(path) {
      return attempt('resolving', path, () => realInRoot(root, path));
    },

    async identity(path) {
      return attempt('looking at', path, () => identityOf(realInRoot(root, path)));
    },
  };
}

function remove(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // For a file, rmSync words the system's error in its own way, so call the system directly.
  if (stat?.isDirectory()) rmSync(path, { recursive: true, force: true });
  else if (stat) unlinkSync(path);
}

function describe(stat: NonNullable<ReturnType<typeof lstatSync>>): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
  };
}
