import type { BlockDevice } from '../../../host/block-devices.ts';
import type { Host } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';
import { type Content, contentOf } from './content.ts';

/** What a device holds, in words; undefined if it is free. A table without partitions is nothing. */
export function heldBy({ partitions }: BlockDevice, { type }: Content): string | undefined {
  return type ?? (partitions.length > 0 ? `${partitions.length} partition(s)` : undefined);
}

export async function contentsOf(host: Host, device: BlockDevice): Promise<Content> {
  return contentOf(host, device.path, 'FilesystemNotMade');
}

/** @throws Problem DiskInUse */
export async function refuseInUse(host: Host, { path }: BlockDevice, notDone: string): Promise<void> {
  if (await host.blockDevices.isInUse(path))
    throw new StepError('DiskInUse', `${notDone}: it, or a partition of it, is in use`);
}
