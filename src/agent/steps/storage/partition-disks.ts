import type { DiskEntry } from '../../document/document.ts';
import { isDivided, isListed } from '../../document/storage-as-written.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { findDevice } from './devices/find-device.ts';
import { refuseInUse } from './devices/free.ts';
import { divide } from './divided-disk.ts';
import { changeListed } from './listed-partitions.ts';
import { sfdisk } from './sfdisk.ts';
import { showPartitions } from './show-partitions.ts';

/**
 * Partitions disks: a whole disk by shares (cloud-init's `cc_disk_setup`, `mkpart`), or some of its partitions (Ignition's
 * `createPartitions`). A disk that is as asked stays, other content goes only where `overwrite` gives it up, and a disk in use is
 * never touched.
 */
export const partitionDisks: Work<{ entries: DiskEntry[] }> = ({ entries }) => ({
  onFailure: entries.some(isListed) ? 'stop' : 'continue',
  run: (context) => eachEntry(entries, context, (entry) => partition(entry, context)),
});

async function partition(entry: DiskEntry, context: StepContext): Promise<string> {
  const { host, signal, finding } = context;
  const { device } = entry;
  if (isDivided(entry) && entry.layout === false) return `${device} not to be partitioned`;
  const disk = await findDevice(host, device, signal);
  if (disk.kind !== 'disk')
    throw new StepError(
      'DiskNotPartitioned',
      `${device} is a partition, and only a whole disk can be partitioned`,
    );
  const decision = isDivided(entry)
    ? await divide(entry, disk, context)
    : await changeListed(entry, disk, context);
  if (decision.kind === 'keep') {
    if (decision.partitions === undefined) return `${device} was as asked`;
    await showPartitions(host, disk.path, decision.partitions, signal);
    return `${device} was partitioned`;
  }
  if (decision.kind === 'leave') {
    const message = `${device} holds ${decision.holds} and was not partitioned: overwrite is not set.`;
    await finding({ severity: 'warning', code: 'DiskLeftAlone', message, ...place(entry.where) });
    return `${device} left alone`;
  }
  await refuseInUse(host, disk, `${device} was not partitioned`);
  await sfdisk(context, device, [...decision.flags, disk.path], decision.script);
  await showPartitions(host, disk.path, decision.partitions, signal);
  await clear(context, device, disk, decision.cleared);
  return `${device} partitioned (${decision.changes})`;
}

async function clear(
  { host, signal }: StepContext,
  device: string,
  { path }: BlockDevice,
  numbers: readonly number[],
): Promise<void> {
  const disk = await host.blockDevices.find(path);
  for (const number of numbers) {
    const node = disk?.partitions.find((one) => one.number === number)?.path;
    if (node === undefined)
      throw new StepError('DiskNotPartitioned', `${device} was partitioned, but has no partition ${number}`);
    const doing = `clear the new partition ${number} of ${device}`;
    await runTool(host, ['wipefs', '--all', node], { doing, code: 'DiskNotPartitioned', signal });
  }
}
