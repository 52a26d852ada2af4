import type { PartitioningEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import { Problem } from '../../tools/problem.ts';
import { runTool } from '../../tools/tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { contentOf } from '../storage/content.ts';
import { showPartitions } from '../storage/disks.ts';
import { findDevice } from '../storage/find-device.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { type Change, changesOf, type Present, parsePresent, wholeTable } from './table.ts';

/**
 * Partitions disks (Ignition's `createPartitions`): partitions that are as said stay, those that nobody names
 * stay too. Nothing is changed on a disk that is in use, or where one of its partitions cannot be as said.
 */
export const partitionDisks: Work<{ entries: PartitioningEntry[] }> = ({ entries }) => ({
  run: (context) => eachEntry(entries, context, (entry) => partition(entry, context)),
});

async function partition(entry: PartitioningEntry, context: StepContext): Promise<string> {
  const { host, signal } = context;
  const { device } = entry;
  const disk = await findDevice(host, device, signal);
  if (disk.kind !== 'disk') throw new Problem('DiskNotPartitioned', `${device} is a partition, not a disk`);
  if (entry.wipe && context.doneOtherwise && (await isAsAsked(context, entry, disk)))
    return `${device} was as asked`;
  const present = entry.wipe ? undefined : await presentOn(context, entry, disk);
  const changes = changesOf(entry.partitions, present ?? [], disk.sectorBytes);
  const refused = changes.find((change) => change.kind === 'refuse');
  if (refused) throw new Problem('DiskLeftAlone', `Partition ${refused.number} of ${device} ${refused.why}`);
  const work = changes.filter(({ kind }) => kind !== 'keep');
  if (work.length === 0 && !entry.wipe) return `${device} was as asked`;
  if (await host.blockDevices.isInUse(disk.path))
    throw new Problem('DiskInUse', `${device} was not partitioned: it, or a partition of it, is in use`);
  const dump = present === undefined ? '' : await run(context, device, ['--dump', disk.path]);
  // A partition that stays, or is resized, keeps what is in it.
  const wipe = present === undefined ? ['--wipe', 'always'] : [];
  const made = work.flatMap((change) => (change.kind === 'make' ? [change] : []));
  await run(context, device, [...wipe, '--wipe-partitions', 'never', disk.path], wholeTable(dump, work));
  const left = (present ?? []).filter(({ number }) => !work.some((change) => change.number === number));
  await showPartitions(host, disk.path, left.length + made.length, signal);
  await wipeNew(
    context,
    entry,
    disk.path,
    made.filter(({ isResized }) => !isResized),
  );
  return `${device} partitioned (${work.length})`;
}

/** Another document has made the table, so what is on it is the machine's own: is it the one that is asked for, and no more? */
async function isAsAsked(
  context: StepContext,
  { device, partitions }: PartitioningEntry,
  disk: BlockDevice,
): Promise<boolean> {
  if ((await contentOf(context.host, disk.path, 'DiskNotPartitioned')).table !== 'gpt') return false;
  const present = parsePresent(await run(context, device, ['--json', disk.path]));
  const changes = changesOf(partitions, present, disk.sectorBytes);
  const isNamed = ({ number }: Present) => changes.some((change) => change.number === number);
  return changes.every(({ kind }) => kind === 'keep') && present.every(isNamed);
}

/** The partitions of a disk with a GPT; undefined for a disk with nothing on it. */
async function presentOn(
  context: StepContext,
  { device }: PartitioningEntry,
  { path }: BlockDevice,
): Promise<Present[] | undefined> {
  const { table, type } = await contentOf(context.host, path, 'DiskNotPartitioned');
  if (table === undefined && type === undefined) return undefined;
  const holds = table === undefined ? type : `a partition table of the kind ${table}`;
  if (table !== 'gpt')
    throw new Problem(
      'DiskLeftAlone',
      `${device} holds ${holds} and was not partitioned: wipeTable is not true`,
    );
  return parsePresent(await run(context, device, ['--json', path]));
}

/** What an earlier partition at the same place held is not to be found again. */
async function wipeNew(
  { host, signal }: StepContext,
  { device }: PartitioningEntry,
  path: string,
  made: readonly Change[],
): Promise<void> {
  const disk = await host.blockDevices.find(path);
  for (const { number } of made) {
    const node = disk?.partitions.find((one) => one.number === number)?.path;
    if (node === undefined)
      throw new Problem('DiskNotPartitioned', `${device} was partitioned, but has no partition ${number}`);
    const doing = `clear the new partition ${number} of ${device}`;
    await runTool(host, ['wipefs', '--all', node], { doing, code: 'DiskNotPartitioned', signal });
  }
}

async function run(
  { host, signal }: StepContext,
  device: string,
  flags: string[],
  input = '',
): Promise<string> {
  const { stdout } = await runTool(host, ['sfdisk', ...flags], {
    doing: `partition ${device}`,
    code: 'DiskNotPartitioned',
    input,
    signal,
  });
  return stdout;
}
