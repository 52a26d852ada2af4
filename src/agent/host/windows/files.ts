import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { win32 } from 'node:path';
import { appendHandle } from '../common/files/append-handle.ts';
import { identityOf, ifPresent, kindOf, linkOnce } from '../common/files/entries.ts';
import { MAX_FILE_BYTES, type OpenFile, readOpen, readPart } from '../common/files/read-open.ts';
import { watchFile } from '../common/files/watch-file.ts';
import { toHostError } from '../common/system/system-error.ts';
import type { AppendHandle, FileStat, Files, WriteOptions } from '../files.ts';
import { HostError } from '../host.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { RUN, STATE, toWindowsPath } from './paths.ts';
import { restrictToAdministrators } from './restrict-access.ts';
import { isSerialPort, writeSerialPort } from './serial-port.ts';

/** Bits of a mode that let others read. */
const OTHERS = 0o077;
/** What Windows runs by its name. */
const PROGRAM = /\.(?:exe|com|cmd|bat)$/i;
/** The numbers that stand for the owner of what Slipway makes; on other systems that is root. */
const OWNER = { uid: 0, gid: 0 } as const;

/**
 * The files of a Windows machine. Owners in user data mean nothing there, as cloudbase-init takes them; a mode that shuts
 * others out does: such a file is for SYSTEM and the administrators.
 */
export function createFiles(root: string): Files {
  const at = (path: string) => toWindowsPath(root, path);

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

  const regular = (real: string, path: string): OpenFile => {
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

    read: async (path, maxBytes = MAX_FILE_BYTES) =>
      attempt('reading', path, (real) => {
        const fd = openSync(real, 'r');
        return readOpen({ fd, size: fstatSync(fd).size }, maxBytes, real);
      }),

    readIfPresent: async (path, maxBytes = MAX_FILE_BYTES) =>
      attempt('reading', path, (real) => {
        const file = ifPresent(() => regular(real, path));
        return file && readOpen(file, maxBytes, real);
      }),

    readFrom: async (path, offset, length) =>
      attempt('reading', path, (real) => readPart(regular(real, path), offset, length)),

    readEndBelow: async ({ base, names }, maxBytes) =>
      attempt('reading', [base, ...names].join('/'), (real) => {
        const file = ifPresent(() => {
          refuseLinks(at(base), names);
          return regular(real, real);
        });
        if (!file) return undefined;
        const offset = Math.max(0, file.size - maxBytes);
        return { bytes: readPart(file, offset, maxBytes), isWhole: offset === 0 };
      }),

    listBelow: async ({ base, names }, most) =>
      attempt('listing', [base, ...names].join('/'), (real) => {
        const found = ifPresent(() => {
          refuseLinks(at(base), names);
          return readdirSync(real);
        });
        return (found ?? []).slice(0, most).sort();
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
      if (isSerialPort(at(path))) return writeSerialPort(at(path), data);
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

    watch: (path, changed) =>
      attempt('watching', path, (real) => watchFile(real, changed, () => regular(real, path))),

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
          restrictToAdministrators(real, statSync(real).isDirectory() ? 'folder' : 'file');
      }),

    owner: () => OWNER,
    readlink: async (path) => attempt('reading the link', path, (real) => readlinkSync(real)),
    real: async (path) => attempt('resolving', path, (real) => ifPresent(() => realpathSync(real)) ?? real),
    identity: async (path) => attempt('looking at', path, identityOf),
  };
}

/** Windows lets nobody but administrators make links, and Node.js opens nothing there relative to a handle. */
function refuseLinks(base: string, names: readonly string[]): void {
  let path = base;
  for (const name of names) {
    path = win32.join(path, name);
    if (lstatSync(path).isSymbolicLink()) throw new HostError(`${path} is a symbolic link`, 'ELOOP', path);
  }
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
    restrictToAdministrators(own, 'folder');
  }
  mkdirSync(real, { recursive: true });
  if ((mode & OTHERS) === 0 && own === undefined) restrictToAdministrators(real, 'folder');
}

function describe(stat: NonNullable<ReturnType<typeof lstatSync>>, real: string): FileStat {
  const kind = kindOf(stat);
  const runs = kind === 'file' && PROGRAM.test(real) ? 0o111 : 0;
  // Node.js tells whether a file is read-only, and nothing of others; what is Slipway's own the administrators alone can change.
  const bits = ownFolder(real) === undefined ? 0o644 : 0o600;
  return { kind, size: Number(stat.size), mode: (Number(stat.mode) & bits) | runs, ...OWNER };
}

/**
 * Opens a file that this process alone writes to its end. Not in append mode, in which Windows refuses to cut a file.
 *
 * @param real as Windows names it
 */
function openToAppend(real: string, path: string): AppendHandle {
  const fd = openSync(real, constants.O_RDWR | constants.O_CREAT);
  return appendHandle(fd, path, (bytes) => writeSync(fd, bytes, 0, bytes.length, fstatSync(fd).size));
}
