import type { DiskEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { Problem } from '../../tools/problem.ts';
import { runTool } from '../../tools/tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { contentOf } from './content.ts';
import { findDevice, settle } from './find-device.ts';
import { isAsPlanned, type PresentTable, parseTable, plannedPartitions, sfdiskScript } from './layout.ts';
import { waitFor } from './wait.ts';

const NODES_MS = 10_000;
/** How long the kernel may take to show the partitions by itself before Slipway tells it about them. */
const OWN_ACCORD_MS = 1000;

/**
 * Partitions disks (cloud-init's `cc_disk_setup`, `mkpart`). It keeps a disk that has the desired partitions,
 * refuses a disk with other content unless `overwrite` is set, and never touches a disk in use.
 */
export const partitionDisks: Work<{ entries: DiskEntry[] }> = ({ entries }) => ({
  onFailure: 'continue',
  run: (context) => eachEntry(entries, context, (entry) => partition(entry, context)),
});

async function partition(entry: DiskEntry, { host, signal, finding }: StepContext): Promise<string> {
  if (entry.layout === false) return `${entry.device} not to be partitioned`;
  const disk = await findDevice(host, entry.device, signal);
  if (disk.kind !== 'disk') {
    throw new Problem(
      'DiskNotPartitioned',
      `${entry.device} is a partition, and only a whole disk can be partitioned`,
    );
  }
  const planned = plannedPartitions(entry, disk);
  const content = await contentOf(host, disk.path, 'DiskNotPartitioned');
  const table = content.table === undefined ? undefined : await readTable(host, disk.path);
  if (table && isAsPlanned(entry, table, planned)) {
    await showPartitions(host, disk.path, table.types.length, signal);
    return `${entry.device} was partitioned`;
  }
  const holds = table && table.types.length > 0 ? `${table.types.length} partition(s)` : content.type;
  if (holds !== undefined && !entry.overwrite) {
    const message = `${entry.device} holds ${holds} and was not partitioned: overwrite is not set.`;
    await finding({ severity: 'warning', code: 'DiskLeftAlone', message, ...place(entry.where) });
    return `${entry.device} left alone`;
  }
  if (await host.blockDevices.isInUse(disk.path)) {
    throw new Problem(
      'DiskInUse',
      `${entry.device} was not partitioned: it, or a partition of it, is in use`,
    );
  }
  // Old marks would make the new partitions look used to the next step.
  const wipe = ['--wipe', 'always', '--wipe-partitions', 'always'];
  await runTool(host, ['sfdisk', ...wipe, disk.path], {
    doing: `partition ${entry.device}`,
    code: 'DiskNotPartitioned',
    input: sfdiskScript(entry.tableType, planned),
    signal,
  });
  await showPartitions(host, disk.path, planned.length, signal);
  return `${entry.device} partitioned (${planned.length})`;
}

async function readTable(host: Host, path: string): Promise<PresentTable | undefined> {
  const { exitStatus, stdout } = await runTool(host, ['sfdisk', '--json', path], {
    doing: `read the partition table of ${path}`,
    code: 'DiskNotPartitioned',
    // 1: no partition table, or one of a kind that sfdisk does not know.
    accept: [0, 1],
  });
  if (exitStatus === 1) return { label: undefined, types: ['unknown'] };
  return parseTable(stdout);
}

/**
 * Waits until the kernel shows the partitions. A kernel without support for the table's format never shows
 * them by itself, so Slipway tells it what the table says.
 *
 * @throws Problem DiskNotPartitioned
 */
export async function showPartitions(
  host: Host,
  path: string,
  count: number,
  signal: AbortSignal,
): Promise<void> {
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
  throw new Problem(
    'DiskNotPartitioned',
    `${path} was partitioned, but its partitions did not appear in /dev`,
  );
}
