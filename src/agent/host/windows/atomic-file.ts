import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { win32 } from 'node:path';
import { tempFileIn } from '../common/files/leftover-temps.ts';
import { isErrno } from '../common/system/system-error.ts';
import { restrictToAdministrators } from './restrict-access.ts';

/** Scanners and indexers open a new file for moments, and Windows refuses to replace one that is open. */
const REPLACE_MS = 3_000;
const AGAIN_MS = 25;

interface AtomicWrite {
  /** As Windows names it. */
  readonly path: string;
  readonly content: Uint8Array;
  /** Only SYSTEM and administrators may read it. */
  readonly isPrivate: boolean;
  readonly volatile: boolean;
}

/**
 * Writes a file so that every reader sees the old one or the new one: temp file in the same folder, flushed, renamed over the
 * old one. Windows writes a folder's entries through its journal; they cannot be flushed by themselves.
 *
 * @throws the system's error
 */
export function writeFileAtomically({ path, content, isPrivate, volatile }: AtomicWrite): void {
  const temp = tempFileIn(win32.dirname(path));
  try {
    const fd = openSync(temp, 'wx');
    try {
      // Before anything of it is there to be read.
      if (isPrivate) restrictToAdministrators(temp, 'file');
      let written = 0;
      while (written < content.length) written += writeSync(fd, content, written);
      if (!volatile) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    replace(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

function replace(temp: string, path: string): void {
  const end = performance.now() + REPLACE_MS;
  for (;;) {
    try {
      renameSync(temp, path);
      return;
    } catch (error) {
      if (!isErrno(error, 'EPERM', 'EACCES', 'EBUSY') || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}
