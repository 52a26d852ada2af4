import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { settle } from './devices/find-device.ts';
import { waitFor } from './devices/wait.ts';

const NODES_MS = 10_000;
/** How long the kernel may take to show the partitions by itself before Slipway tells it about them. */
const OWN_ACCORD_MS = 1000;

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
  throw new StepError(
    'DiskNotPartitioned',
    `${path} was partitioned, but its partitions did not appear in /dev`,
  );
}
