import type { DiskEntry } from '../../document/document.ts';
import { isDivided, isListed } from '../../document/storage-as-written.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { refuseInUse } from './devices/content.ts';
import { findDevice, settle, waitFor } from './devices/find-device.ts';
import { divide } from './divided-disk.ts';
import { changeListed } from './listed-partitions.ts';
import { sfdisk } from './sfdisk.ts';

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

const NODES_MS = 10_000;
/** How long the kernel may take to show the partitions by itself before Slipway tells it about them. */
const OWN_ACCORD_MS = 1000;

/**
 * Waits until the kernel shows the partitions. A kernel without support for the table's format never shows
 * them by itself, so Slipway tells it what the table says.
 *
 * @throws Problem DiskNotPartitioned
 */
async function showPartitions(host: Host, path: string, count: number, signal: AbortSignal): Promise<void> {
  const look = async (): Promise<BlockDevice | undefined> => {
    const disk = await host.blockDevices.find(path);
    if (!disk || disk.partitions.length < count) return undefined;
    const nodes = await Promise.all(disk.partitions.map((part) => host.blockDevices.find(part.path)));
    return nodes.every((node) => node !== undefined) ? disk : undefined;
  };
  await settle(host, signal);
  if (await waitFor(host, OWN_ACCORD_MS, signal, look)) return;
  if (await host.processes.which('partx')) {
    await runTool(host, ['partx', '--update', path], {
      doing: `show the kernel the partitions of ${path}`,
      code: 'DiskNotPartitioned',
    });
  }
  await settle(host, signal);
  if (await waitFor(host, NODES_MS, signal, look)) return;
  throw new StepError(
    'DiskNotPartitioned',
    `${path} was partitioned, but its partitions did not appear in /dev`,
  );
}
