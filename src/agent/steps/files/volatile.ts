import type { Host } from '../../host/host.ts';

/** Directories that a reboot empties; Cluster API puts kubeadm's configuration there. */
const VOLATILE = /^\/(?:run|tmp|var\/run|dev\/shm)\//;

/** Is the file gone since the last boot, as it must be? */
export async function isLostByReboot({ files }: Pick<Host, 'files'>, path: string): Promise<boolean> {
  return VOLATILE.test(path) && (await files.stat(path)) === undefined;
}
