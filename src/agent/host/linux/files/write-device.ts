import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** See `Files.writeDevice`. With flow control, an unread serial line blocks an ordinary writer for ever. */
export function writeDevice(real: string, data: Uint8Array): number {
  const fd = openSync(real, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return writeSync(fd, data);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  } finally {
    closeSync(fd);
  }
}
