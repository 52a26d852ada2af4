import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { delay, elapsedMs } from '../../common/system/clock.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';

const TRY_MS = 2;

/** See `Files.tell`. Without a reader, a non-blocking open fails with ENXIO; a blocking one would wait. */
export async function writeToPipe(
  real: string,
  path: string,
  line: string,
  timeoutMs: number,
): Promise<void> {
  const end = elapsedMs() + timeoutMs;
  for (;;) {
    const fd = openForReader(real, path);
    if (fd !== undefined) {
      try {
        writeSync(fd, `${line}\n`);
      } finally {
        closeSync(fd);
      }
      return;
    }
    if (elapsedMs() > end) throw new HostError(`nobody reads from ${path}`, 'ETIMEDOUT', path);
    await delay(TRY_MS);
  }
}

function openForReader(real: string, path: string): number | undefined {
  try {
    return openSync(real, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, 'ENXIO', 'ENOENT')) return undefined;
    throw toHostError(error, 'opening', path);
  }
}
