import type { FilesystemEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';
import { type Content, contentOf, heldBy } from './devices/content.ts';
import { waitFor } from './devices/find-device.ts';
import { blkidType, plainUuid } from './mkfs-command.ts';

const NODE_MS = 10_000;

/** What to do for an entry of fs_setup, and why. */
type Target =
  | { kind: 'make'; device: BlockDevice }
  | { kind: 'keep'; device: BlockDevice }
  /** `holds`: what is there instead of what user data asks for. */
  | { kind: 'leave'; device: BlockDevice; holds: string };

/**
 * Chooses the place of a file system, and tells whether it is there already.
 *
 * @throws Problem DiskNotFound, FilesystemNotMade, DiskLeftAlone
 */
export async function chooseTarget(
  entry: FilesystemEntry,
  device: BlockDevice,
  context: StepContext,
): Promise<Target> {
  if (entry.isStrict) return wholeDevice(entry, device, context);
  const { host, signal, doneOtherwise, isMissing } = context;
  // What has been made holds the machine's own data by now.
  if (doneOtherwise || isMissing) {
    const made = await place(host, { ...entry, overwrite: false }, device, signal);
    if (made.kind === 'keep' || isMissing) return made;
  }
  return place(host, entry, device, signal);
}

/** The device itself (Ignition's `createFilesystem`): one that holds something else is an error, unless it may be overwritten. */
async function wholeDevice(
  entry: FilesystemEntry,
  device: BlockDevice,
  { host, doneOtherwise, isMissing }: StepContext,
): Promise<Target> {
  const { device: name, overwrite } = entry;
  // What `overwrite` gave up is long gone where the file system was made before: it holds the machine's own data.
  if (overwrite && !doneOtherwise && !isMissing) return { kind: 'make', device };
  const content = await contentOf(host, device.path, 'FilesystemNotMade');
  if (isStrictlyAsked(entry, content)) return { kind: 'keep', device };
  if (isMissing && content.type !== undefined) return { kind: 'leave', device, holds: content.type };
  const holds = overwrite ? undefined : heldBy(device, content);
  if (holds === undefined) return { kind: 'make', device };
  const what = content.type === undefined ? holds : `${holds}, which is not as asked`;
  throw new StepError('DiskLeftAlone', `${name} holds ${what}, and wipeFilesystem is not true`);
}

function isStrictlyAsked({ filesystem, label, uuid }: FilesystemEntry, found: Content): boolean {
  return (
    found.type === filesystem &&
    (label === undefined || (found.label ?? '') === label) &&
    (uuid === undefined || plainUuid(filesystem, found.uuid ?? '') === plainUuid(filesystem, uuid))
  );
}

/**
 * As cloud-init's `mkfs` and `find_device_node` do. Unlike cloud-init, Slipway destroys nothing without `overwrite` or
 * `replace_fs`, whatever the partition setting, and it looks everywhere for a matching file system before it takes a free place.
 */
async function place(
  host: Host,
  entry: FilesystemEntry,
  device: BlockDevice,
  signal: AbortSignal,
): Promise<Target> {
  const partition = entry.partition ?? 'any';
  if (partition === 'auto' || partition === 'any') return search(host, entry, device, partition === 'any');
  const found = partition === 'none' ? device : await partitionOf(host, device, Number(partition), signal);
  const content = await contentOf(host, found.path, 'FilesystemNotMade');
  if (entry.overwrite) return { kind: 'make', device: found };
  if (isAsked(entry, content, false)) return { kind: 'keep', device: found };
  const holds = held(found, content);
  return holds === undefined ? { kind: 'make', device: found } : { kind: 'leave', device: found, holds };
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
function held(device: BlockDevice, content: Content): string | undefined {
  const { table } = content;
  return heldBy(device, content) ?? (table === undefined ? undefined : `an empty ${table} partition table`);
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
  throw new StepError('DiskNotFound', `${disk.path} has no partition ${number} (waited ${NODE_MS / 1000} s)`);
}
