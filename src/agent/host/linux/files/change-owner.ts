import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  openSync,
} from 'node:fs';
import { isErrno } from '../../common/system/system-error.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

interface Attributes {
  readonly mode?: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Gives a file, a directory or a link, itself and not what it leads to, an owner and a mode.
 *
 * @param isForeign its directory is somebody else's than root's, who may at any moment put another file or a link there
 * @throws the system's error
 */
export function changeOwner(path: string, attributes: Attributes, isForeign: boolean): void {
  if (isForeign) {
    giveOpened(path, attributes);
    return;
  }
  const { mode, uid, gid } = attributes;
  lchownSync(path, uid, gid);
  // After the owner: a change of it takes the setuid and setgid bits away.
  if (mode !== undefined && !lstatSync(path).isSymbolicLink()) chmodSync(path, mode);
}

/** Uses the descriptor, so that mode and owner go to the same file. */
function giveOpened(path: string, { mode, uid, gid }: Attributes): void {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (error) {
    // A link has an owner and no mode.
    if (!isErrno(error, 'ELOOP')) throw error;
    lchownSync(path, uid, gid);
    return;
  }
  try {
    fchownSync(fd, uid, gid);
    if (mode !== undefined) fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
