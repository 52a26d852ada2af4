import type { FilesystemEntry } from '../../document/document.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { Problem } from '../../tools/problem.ts';
import { type Content, contentOf } from './content.ts';
import { blkidType } from './mkfs-command.ts';
import { waitFor } from './wait.ts';

const NODE_MS = 10_000;

/** What to do for an entry of fs_setup, and why. */
type Target =
  | { kind: 'make'; device: BlockDevice }
  | { kind: 'keep'; device: BlockDevice }
  /** `holds`: what is there instead of what user data asks for. */
  | { kind: 'leave'; device: BlockDevice; holds: string };

/**
 * Chooses the place of a file system (cloud-init's `mkfs` and `find_device_node`), and tells whether it is
 * there already. Unlike cloud-init, Slipway destroys nothing without `overwrite` or `replace_fs`, whatever
 * the partition setting, and it looks everywhere for a matching file system before it takes a free place.
 *
 * @throws Problem DiskNotFound, FilesystemNotMade
 */
export async function chooseTarget(
  host: Host,
  entry: FilesystemEntry,
  device: BlockDevice,
  signal: AbortSignal,
): Promise<Target> {
  const partition = entry.partition ?? 'any';
  if (partition === 'auto' || partition === 'any') return search(host, entry, device, partition === 'any');
  const place = partition === 'none' ? device : await partitionOf(host, device, Number(partition), signal);
  const content = await contentOf(host, place.path, 'FilesystemNotMade');
  if (entry.overwrite) return { kind: 'make', device: place };
  if (isAsked(entry, content, false)) return { kind: 'keep', device: place };
  const holds = held(place, content);
  return holds === undefined ? { kind: 'make', device: place } : { kind: 'leave', device: place, holds };
}

async function search(
  host: Host,
  entry: FilesystemEntry,
  device: BlockDevice,
  anyLabel: boolean,
): Promise<Target> {
  const places: { device: BlockDevice; content: Content }[] = [];
  for (const path of [device.path, ...device.partitions.map((part) => part.path)]) {
    const found = await host.blockDevices.find(path);
    if (found) places.push({ device: found, content: await contentOf(host, path, 'FilesystemNotMade') });
  }
  const present = places.find(({ content }) => isAsked(entry, content, anyLabel));
  if (present) return { kind: 'keep', device: present.device };
  const replaced = places.find(
    ({ content }) => entry.replaceFs && content.type === blkidType(entry.replaceFs),
  );
  if (replaced) return { kind: 'make', device: replaced.device };
  const free = places.find(({ device: place, content }) => held(place, content) === undefined);
  if (free) return { kind: 'make', device: free.device };
  const holds = places
    .map(({ device: place, content }) => `${place.path}: ${held(place, content)}`)
    .join(', ');
  return { kind: 'leave', device, holds };
}

function isAsked({ filesystem, label }: FilesystemEntry, content: Content, anyLabel: boolean): boolean {
  return content.type === blkidType(filesystem) && (anyLabel || (content.label ?? '') === (label ?? ''));
}

/** What occupies a device, in words; undefined if it is free. */
function held({ partitions }: BlockDevice, { type, table }: Content): string | undefined {
  if (type !== undefined) return type;
  if (partitions.length > 0) return `${partitions.length} partition(s)`;
  return table === undefined ? undefined : `an empty ${table} partition table`;
}

async function partitionOf(
  host: Host,
  disk: BlockDevice,
  number: number,
  signal: AbortSignal,
): Promise<BlockDevice> {
  const found = await waitFor(host, NODE_MS, signal, async () => {
    const now = await host.blockDevices.find(disk.path);
    const path = now?.partitions.find((part) => part.number === number)?.path;
    return path === undefined ? undefined : host.blockDevices.find(path);
  });
  if (found) return found;
  throw new Problem('DiskNotFound', `${disk.path} has no partition ${number} (waited ${NODE_MS / 1000} s)`);
}
