import { omitUndefined } from '../../../../kit/json.ts';
import type { BlockDevice } from '../../../host/block-devices.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';

/** What a device holds, read from the device itself. */
export interface Content {
  /** blkid's name of a file system, swap area, RAID or LVM member; absent if there is none. */
  type?: string;
  label?: string;
  uuid?: string;
  /** `dos` or `gpt`, if there is a partition table. */
  table?: string;
}

const NOTHING_FOUND = 2;
const AMBIVALENT = 8;

/**
 * @throws Problem `code` if the device is unreadable or has the marks of several things at once. Nobody can
 * tell which of them counts, so such a device never passes for empty.
 */
export async function contentOf(
  host: Host,
  path: string,
  code: 'DiskNotPartitioned' | 'FilesystemNotMade',
): Promise<Content> {
  const { exitStatus, stdout, stderr } = await runTool(
    host,
    ['blkid', '--probe', '--output', 'export', path],
    {
      doing: `see what is on ${path}`,
      code,
      accept: [0, NOTHING_FOUND, AMBIVALENT],
    },
  );
  // blkid ends with the same status if it cannot read; an unreadable device must not pass for empty.
  if (exitStatus === NOTHING_FOUND && stderr.trim() !== '') {
    throw new StepError(code, `Cannot see what is on ${path}: ${stderr.trim().split('\n')[0]}`);
  }
  if (exitStatus === AMBIVALENT) {
    const cause = `${path} holds the marks of several file systems or partition tables at once; wipefs shows and removes them`;
    throw new StepError('DiskLeftAlone', cause);
  }
  return parseContent(stdout);
}

/** Parses `blkid --output export`: lines of KEY=value, with backslashes before special characters. */
export function parseContent(text: string): Content {
  const values = new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1).replace(/\\(.)/g, '$1')];
    }),
  );
  return omitUndefined({
    type: values.get('TYPE'),
    label: values.get('LABEL'),
    uuid: values.get('UUID'),
    table: values.get('PTTYPE'),
  });
}

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
