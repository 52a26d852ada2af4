import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { RUN_DIR } from '../../document/paths.ts';
import { isErrno, toHostError } from '../common/system/system-error.ts';
import type { Lock } from '../host.ts';
import { makeFolder } from './files.ts';
import { toWindows } from './paths.ts';

/** libuv's UV_FS_O_EXLOCK: nobody else opens the file until this process closes it, or ends. Node.js has no name for it. */
const ALONE = 0x10000000;

/** Holds NAME.lock open for itself alone; Windows lets go of it when the process ends, however it does. */
export async function takeLock(root: string, name: string): Promise<Lock | { heldBy: number | undefined }> {
  const path = toWindows(root, `${RUN_DIR}/${name}.lock`);
  const holder = `${path}.pid`;
  try {
    makeFolder(win32.dirname(path));
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | ALONE);
    writeFileSync(holder, String(process.pid));
    return {
      async release() {
        rmSync(holder, { force: true });
        closeSync(fd);
      },
    };
  } catch (error) {
    if (isErrno(error, 'EBUSY')) return { heldBy: holderIn(holder) };
    throw toHostError(error, 'locking', path);
  }
}

function holderIn(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
