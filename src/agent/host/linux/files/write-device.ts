import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { isErrno } from '../../common/system/system-error.ts';

/** See `Files.writeDevice`. With flow control, an unread serial line blocks an ordinary writer for ever. */
export function writeDevice(real: string, data: Uint8Array): number {
  const fd = openSync(real, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return writeSync(fd, data);
  } catch (error) {
    if (isErrno(error, 'EAGAIN')) return 0;
    throw error;
  } finally {
    closeSync(fd);
  }
}
