import { closeSync, fstatSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';

/** Whoever makes a pipe for this program starts what writes into it at the same time. */
const WRITER_MS = 2000;
/** A program that has the pipe open may ask a cluster first, or a person. */
const SILENT_MS = 300_000;
const LOOK_MS = 10;

/**
 * Reads all that a pipe or a device gives that was opened without waiting, and closes it.
 *
 * @throws HostError ETIMEDOUT if nobody writes into it, EFBIG; otherwise the system's error
 */
export async function readPipe(
  fd: number,
  maxBytes: number,
  path: string,
  limits = { writer: WRITER_MS, silent: SILENT_MS },
): Promise<Buffer> {
  try {
    const isPipe = fstatSync(fd).isFIFO();
    const parts: Buffer[] = [];
    const piece = Buffer.allocUnsafe(65_536);
    let total = 0;
    for (let since = performance.now(); ; ) {
      const got = readNow(fd, piece);
      if (got === 0 && (total > 0 || !isPipe)) return Buffer.concat(parts);
      if (got !== undefined && got > 0) {
        total += got;
        if (total > maxBytes)
          throw new HostError(`${path} has more bytes than the ${maxBytes} allowed`, 'EFBIG', path);
        parts.push(Buffer.from(piece.subarray(0, got)));
        since = performance.now();
        continue;
      }
      const limit = got === 0 ? limits.writer : limits.silent;
      if (performance.now() - since > limit) throw silence(path, isPipe, got === 0, limit);
      await sleep(LOOK_MS);
    }
  } finally {
    closeSync(fd);
  }
}

/** 0 where nobody has it open for writing, undefined where somebody has and says nothing yet. */
function readNow(fd: number, piece: Buffer): number | undefined {
  try {
    return readSync(fd, piece, 0, piece.length, null);
  } catch (error) {
    if (isErrno(error, 'EAGAIN')) return undefined;
    throw error;
  }
}

function silence(path: string, isPipe: boolean, isAlone: boolean, ms: number): HostError {
  const kind = isPipe ? 'is a pipe' : 'is a device';
  const why = isAlone
    ? `${kind}, and nobody wrote into it within ${ms / 1000} s`
    : `${kind} that said nothing for ${ms / 1000} s`;
  return new HostError(`reading ${path}: ${why}`, 'ETIMEDOUT', path);
}
