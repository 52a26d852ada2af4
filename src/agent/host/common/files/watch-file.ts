import { closeSync, fstatSync, watch } from 'node:fs';
import type { Watch } from '../../files.ts';
import { isErrno } from '../system/system-error.ts';
import { ifPresent } from './entries.ts';
import { MAX_FILE_BYTES, type OpenFile, readBounded } from './read-open.ts';

/** How often to call back if the kernel has no watch left. */
const POLL_MS = 10;

/**
 * See `Files.watch`.
 *
 * @param open opens the file at the watched path for reading; throws the system's error
 */
export function watchFile(real: string, changed: () => void, open: () => OpenFile): Watch {
  const file = new KeptOpen(real, open);
  try {
    const stop = listen(real, changed);
    return {
      read: () => file.read(),
      close: () => {
        stop();
        file.close();
      },
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A file that is read again and again: who can change what lies on the way to it is asked once. */
class KeptOpen {
  readonly #path: string;
  readonly #open: () => OpenFile;
  #fd: number | undefined;

  constructor(path: string, open: () => OpenFile) {
    this.#path = path;
    this.#open = open;
    this.#fd = open().fd;
  }

  read(): Buffer {
    const size = this.#sizeNow() ?? this.#sizeAnew();
    if (this.#fd === undefined || size === undefined) return Buffer.alloc(0);
    return readBounded(this.#fd, size, MAX_FILE_BYTES, this.#path, 0);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Undefined where the file that is open has been removed, or replaced by another one. */
  #sizeNow(): number | undefined {
    const stat = this.#fd === undefined ? undefined : fstatSync(this.#fd);
    return stat && stat.nlink > 0 ? stat.size : undefined;
  }

  #sizeAnew(): number | undefined {
    this.close();
    const file = ifPresent(this.#open);
    this.#fd = file?.fd;
    return file?.size;
  }
}

/** @returns what ends it */
function listen(real: string, changed: () => void): () => void {
  let poll: NodeJS.Timeout | undefined;
  const startPolling = () => {
    poll ??= setInterval(changed, POLL_MS).unref();
  };
  try {
    const watcher = watch(real, { persistent: false }, changed);
    watcher.on('error', startPolling);
    return () => {
      watcher.close();
      clearInterval(poll);
    };
  } catch (error) {
    // The machine's limit of watches, which all programs share, is exhausted.
    if (!isErrno(error, 'ENOSPC', 'EMFILE')) throw error;
    startPolling();
    return () => clearInterval(poll);
  }
}
