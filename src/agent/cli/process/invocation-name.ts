import { basename } from 'node:path';

/**
 * The name by which this program was called, which decides what it is, as with busybox. Windows runs the file that was found,
 * whatever somebody typed for it: `kubeadm`, `KUBEADM.EXE`.
 */
export function invocationName(): string {
  if (process.platform !== 'win32') return basename(process.argv0);
  return basename(process.execPath)
    .toLowerCase()
    .replace(/\.exe$/, '');
}
