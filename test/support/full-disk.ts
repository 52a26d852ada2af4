import type { Files } from '../../src/agent/host/files.ts';
import { HostError } from '../../src/agent/host/host.ts';

/** Files on a disk that takes no more while it is full; /run is in memory and still does. */
export function onDisk(files: Files, isFull: () => boolean): Files {
  const refuse = (path: string) => {
    if (isFull() && !path.startsWith('/run/'))
      throw new HostError(`writing ${path}: no space left on the disk`, 'ENOSPC', path);
  };
  return {
    ...files,
    write: async (path, content, options) => {
      refuse(path);
      await files.write(path, content, options);
    },
    writeAll: async (entries) => {
      for (const { path } of entries) refuse(path);
      await files.writeAll(entries);
    },
  };
}
