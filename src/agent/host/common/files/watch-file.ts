import { watch } from 'node:fs';
import type { Watch } from '../../files.ts';
import { isErrno } from '../system/system-error.ts';

/** How often to call back if the kernel has no watch left. */
const POLL_MS = 10;

/** See `Files.watch`. */
export function watchFile(real: string, changed: () => void): Watch {
  let poll: NodeJS.Timeout | undefined;
  const startPolling = () => {
    poll ??= setInterval(changed, POLL_MS).unref();
  };
  try {
    const watcher = watch(real, { persistent: false }, changed);
    watcher.on('error', startPolling);
    return {
      close: () => {
        watcher.close();
        clearInterval(poll);
      },
    };
  } catch (error) {
    // The machine's limit of watches, which all programs share, is exhausted.
    if (!isErrno(error, 'ENOSPC', 'EMFILE')) throw error;
    startPolling();
    return { close: () => clearInterval(poll) };
  }
}
