import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { win32 } from 'node:path';
import { readBounded } from '../common/files/read-bounded.ts';
import { watchFile } from '../common/files/watch-file.ts';
import { isErrno, toHostError } from '../common/system/system-error.ts';
import type { FileStat, Files, WriteOptions } from '../files.ts';
import { HostError } from '../host.ts';
import { keepForAdministrators } from './access.ts';
import { openToAppend } from './append-file.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { RUN, STATE, toWindows } from './paths.ts';
import { isPort, writePort } from './write-port.ts';

/** No file that Slipway reads as a whole is larger; a caller may allow less. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Bits of a mode that let others read. */
const OTHERS = 0o077;
/** What Windows runs by its name. */
const PROGRAM = /\.(?:exe|com|cmd|bat)$/i;
/** Root, as the numbers of other systems call whoever owns what Slipway makes. */
const OWNER = { uid: 0, gid: 0 } as const;

/**
 * The files of a Windows machine. Owners in user data mean nothing there, as cloudbase-init takes them; a mode that shuts
 * others out does: such a file is for SYSTEM and the administrators.
 */
export function createFiles(root: string): Files {
  const at = (path: string) => toWindows(root, path);

  const attempt = <T>(doing: string, path: string, work: (real: string) => T): T => {
    const real = at(path);
    try {
      return work(real);
    } catch (error) {
      throw toHostError(error, doing, real);
    }
  };

  const write = (path: string, content: Uint8Array | string, options: WriteOptions = {}): void =>
    attempt('writing', path, (real) => {
      makeFolder(win32.dirname(real), options.parentsMode);
      writeFileAtomically({
        path: real,
        content: typeof content === 'string' ? Buffer.from(content) : content,
        isPrivate:
          options.mode !== undefined && (options.mode & OTHERS) === 0 && ownFolder(real) === undefined,
        volatile: options.volatile ?? false,
      });
    });

  const regular = (real: string, path: string): { fd: number; size: number } => {
    const fd = openSync(real, 'r');
    const stat = fstatSync(fd);
    if (stat.isFile()) return { fd, size: stat.size };
    closeSync(fd);
    throw new HostError(`${path} is not a regular file`, 'EINVAL', path);
  };

  return {
    write: async (path, content, options) => write(path, content, options),
    async writeAll(entries) {
      for (const { path, content, options } of entries) write(path, content, options);
    },

    read: async (path, maxBytes = MOST_BYTES) =>
      attempt('reading', path, (real) => {
        const fd = openSync(real, 'r');
        try {
          return readBounded(fd, fstatSync(fd).size, maxBytes, real);
        } finally {
          closeSync(fd);
        }
      }),

    readIfPresent: async (path, maxBytes = MOST_BYTES) =>
      attempt('reading', path, (real) => {
        const file = ifPresent(() => regular(real, path));
        if (!file) return undefined;
        try {
          return readBounded(file.fd, file.size, maxBytes, real);
        } finally {
          closeSync(file.fd);
        }
      }),

    readFrom: async (path, offset, length) =>
      attempt('reading', path, (real) => {
        const { fd } = regular(real, path);
        try {
          const buffer = Buffer.alloc(length);
          return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
        } finally {
          closeSync(fd);
        }
      }),

    stat: async (path) =>
      attempt('looking at', path, (real) => {
        const stat = ifPresent(() => lstatSync(real));
        return stat && describe(stat, real);
      }),

    openAppend: async (path) =>
      attempt('opening', path, (real) => {
        makeFolder(win32.dirname(real));
        return openToAppend(real, real);
      }),

    writeDevice: async (path, data) => {
      if (isPort(at(path))) return writePort(at(path), data);
      return attempt('writing to', path, (real) => {
        const fd = openSync(real, 'r+');
        try {
          return writeSync(fd, data);
        } finally {
          closeSync(fd);
        }
      });
    },

    mkdir: async (path, mode) => attempt('creating', path, (real) => makeFolder(real, mode)),

    space: async (path) =>
      attempt('asking for the space of', path, (real) => {
        const { bsize, blocks, bavail } = statfsSync(real);
        return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
      }),

    list: async (path) => attempt('listing', path, (real) => ifPresent(() => readdirSync(real).sort()) ?? []),

    remove: async (path) =>
      attempt('removing', path, (real) => rmSync(real, { recursive: true, force: true, maxRetries: 5 })),

    tell: async (path) => {
      throw new HostError(`${path}: Windows has no such pipes`, 'ENOTSUP', path);
    },

    watch: (path, changed) => attempt('watching', path, (real) => watchFile(real, changed)),

    rename: async (from, to) => attempt('renaming', from, (real) => renameSync(real, at(to))),

    symlink: async (target, path) =>
      attempt('linking', path, (real) => {
        makeFolder(win32.dirname(real));
        symlinkSync(target, real);
      }),

    link: async (existing, path) =>
      attempt('linking', path, (real) => {
        makeFolder(win32.dirname(real));
        linkOnce(at(existing), real);
      }),

    setAttributes: async (path, { mode }) =>
      attempt('changing the rights of', path, (real) => {
        if (mode !== undefined && (mode & OTHERS) === 0)
          keepForAdministrators(real, statSync(real).isDirectory() ? 'folder' : 'file');
      }),

    owner: () => OWNER,
    readlink: async (path) => attempt('reading the link', path, (real) => readlinkSync(real)),
    real: async (path) => attempt('resolving', path, (real) => ifPresent(() => realpathSync(real)) ?? real),
  };
}

/** The one of Slipway's own folders that it lies in, or is. */
function ownFolder(real: string): string | undefined {
  const path = `${real.toLowerCase()}\\`;
  return [STATE, RUN].find((folder) => path.startsWith(`${folder.toLowerCase()}\\`));
}

/** A new folder that shuts others out is for the administrators, and so is all of Slipway's own. */
export function makeFolder(real: string, mode = 0o755): void {
  if (lstatSync(real, { throwIfNoEntry: false })) return;
  const own = ownFolder(real);
  if (own !== undefined && !lstatSync(own, { throwIfNoEntry: false })) {
    mkdirSync(own, { recursive: true });
    keepForAdministrators(own, 'folder');
  }
  mkdirSync(real, { recursive: true });
  if ((mode & OTHERS) === 0 && own === undefined) keepForAdministrators(real, 'folder');
}

function linkOnce(source: string, path: string): void {
  try {
    linkSync(source, path);
  } catch (error) {
    const [one, other] = [source, path].map((name) =>
      lstatSync(name, { throwIfNoEntry: false, bigint: true }),
    );
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

function describe(stat: NonNullable<ReturnType<typeof lstatSync>>, real: string): FileStat {
  const kind = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'directory'
      : stat.isSymbolicLink()
        ? 'symlink'
        : 'other';
  const runs = kind === 'file' && PROGRAM.test(real) ? 0o111 : 0;
  // Node.js tells whether a file is read-only, and nothing of others; what is Slipway's own the administrators alone can change.
  const bits = ownFolder(real) === undefined ? 0o644 : 0o600;
  return { kind, size: Number(stat.size), mode: (Number(stat.mode) & bits) | runs, ...OWNER };
}
