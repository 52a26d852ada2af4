import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { RUN_DIR } from '../../document/paths.ts';
import { delay } from '../common/system/clock.ts';
import { isErrno, toHostError } from '../common/system/system-error.ts';
import type { Lock } from '../host.ts';
import { makeFolder } from './files.ts';
import { toWindowsPath } from './paths.ts';

/** libuv's UV_FS_O_EXLOCK: nobody else opens the file until this process closes it, or ends. Node.js has no name for it. */
const ALONE = 0x10000000;

const AGAIN_MS = 25;
const LONGEST_WAIT_MS = 60_000;

/** Holds NAME.lock open for itself alone; Windows lets go of it when the process ends, however it does. */
export async function takeLock(root: string, name: string): Promise<Lock | { heldBy: number | undefined }> {
  const path = toWindowsPath(root, `${RUN_DIR}/${name}.lock`);
  const holder = `${path}.pid`;
  try {
    const fd = openAlone(path);
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

/** Does `work` while no other process does any under the same file; waits for its turn. @throws HostError EBUSY after a minute */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const fd = await openInTurn(path);
  try {
    return await work();
  } finally {
    closeSync(fd);
  }
}

async function openInTurn(path: string): Promise<number> {
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      return openAlone(path);
    } catch (error) {
      if (!isErrno(error, 'EBUSY') || performance.now() > end) throw toHostError(error, 'locking', path);
      await delay(AGAIN_MS);
    }
  }
}

function openAlone(path: string): number {
  makeFolder(win32.dirname(path));
  return openSync(path, constants.O_RDWR | constants.O_CREAT | ALONE);
}

function holderIn(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
