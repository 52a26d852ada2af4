import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { RUN_DIR } from '../../../document/paths.ts';
import { delay } from '../../common/system/clock.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import type { Lock } from '../../host.ts';
import { openParent } from '../files/paths/open-parent.ts';
import { resolveInRoot } from '../files/paths/resolve.ts';
import { identifyProcess, isSameProcess, type ProcessIdentity } from './process-table.ts';

/** Whoever takes a stale lock waits this long to see whether somebody else took it at the same moment. */
const SETTLE_MS = 100;

/**
 * Holds /run/slipway/NAME.lock. The file names its holder's process, so that others can take over a dead
 * holder's lock. It appears whole (by link), so nobody reads half of it.
 */
export async function takeLock(root: string, name: string): Promise<Lock | { heldBy: number | undefined }> {
  const path = resolveInRoot(root, `${RUN_DIR}/${name}.lock`);
  const mine = identifyProcess(process.pid);
  const draft = `${path}.${process.pid}`;
  try {
    openParent(root, `${RUN_DIR}/${name}.lock`, { mode: 0o755 }).close();
    writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
    const holder = link(draft, path) ? undefined : readHolder(path);
    if (holder && isSameProcess(holder)) return { heldBy: holder.pid };
    if (readHolder(path)?.pid !== process.pid) {
      renameSync(draft, path);
      await delay(SETTLE_MS);
      const winner = readHolder(path);
      if (winner?.pid !== process.pid) return { heldBy: winner?.pid };
    }
  } catch (error) {
    throw toHostError(error, 'locking', `${RUN_DIR}/${name}.lock`);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    async release() {
      if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
