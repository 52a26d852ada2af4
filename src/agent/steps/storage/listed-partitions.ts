import type { DiskEntry, PartitionEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import { StepError } from '../../tools/step-error.ts';
import { contentOf } from './devices/content.ts';
import type { Decision } from './sfdisk.ts';
import { numberOf, type Present, readTable, sfdisk } from './sfdisk.ts';

type Listed = Extract<DiskEntry, { partitions: unknown }>;

/** A partition with its number, in sectors. */
interface Asked extends PartitionEntry {
  start?: number;
  size?: number;
}

/** What is to be done with a partition. */
type Change =
  | { kind: 'keep' | 'delete'; number: number }
  | { kind: 'make'; number: number; line: string; isResized: boolean }
  | { kind: 'refuse'; number: number; why: string };

/**
 * Input of sfdisk for the whole table: what stays, word for word as `sfdisk --dump` has it, and then what is
 * made, those with a start first.
 */
export function wholeTable(dump: string, work: readonly Change[]): string {
  const gone = new Set(work.map(({ number }) => number));
  const kept = dump.split('\n').filter((line) => {
    const node = /^(\/\S+) *:/.exec(line)?.[1];
    return line !== '' && !(node && gone.has(numberOf(node)));
  });
  const made = work.flatMap((change) => (change.kind === 'make' ? [change] : []));
  const inOrder = [...made].sort(
    (a, b) => Number(!a.line.includes('start=')) - Number(!b.line.includes('start=')),
  );
  const header = kept.length > 0 ? kept : ['label: gpt'];
  return `${[...header, ...inOrder.map(({ number, line }) => `${number} : ${line}`)].join('\n')}\n`;
}

/**
 * Compares the partitions that are there with those that are asked for (Ignition's `partitionMatches`): what
 * is not said may be anything, 0 is wherever there is room.
 */
export function changesOf(
  asked: readonly PartitionEntry[],
  present: readonly Present[],
  sectorBytes: number,
): Change[] {
  const used = new Set([...present, ...asked].map(({ number }) => number));
  const next = (): number => {
    let number = 1;
    while (used.has(number)) number += 1;
    used.add(number);
    return number;
  };
  // Those without a number come last, when all numbers are given away.
  const inOrder = [...asked].sort((a, b) => Number(a.number === 0) - Number(b.number === 0));
  return inOrder.map((entry) => {
    const same = present.find(({ label }) => entry.number === 0 && label !== '' && label === entry.label);
    const number = entry.number || (same?.number ?? next());
    return change({ ...entry, number, ...inSectors(entry, sectorBytes) }, present, number);
  });
}

function inSectors(
  { startMiB, sizeMiB }: PartitionEntry,
  sectorBytes: number,
): Pick<Asked, 'start' | 'size'> {
  const perMiB = (1024 * 1024) / sectorBytes;
  return {
    ...(startMiB ? { start: startMiB * perMiB } : {}),
    ...(sizeMiB ? { size: sizeMiB * perMiB } : {}),
  };
}

function change(asked: Asked, present: readonly Present[], number: number): Change {
  const is = present.find((one) => one.number === number);
  if (!asked.exists) {
    if (!is) return { kind: 'keep', number };
    return asked.wipe
      ? { kind: 'delete', number }
      : { kind: 'refuse', number, why: 'is not to exist, but wipePartitionEntry is not true' };
  }
  if (!is) return { kind: 'make', number, line: lineOf(asked), isResized: false };
  const differs = difference(asked, is);
  if (differs === undefined) return { kind: 'keep', number };
  if (asked.resize && differs === 'size') {
    const line = lineOf({ ...asked, start: is.start, guid: is.guid, typeGuid: is.type, label: is.label });
    return { kind: 'make', number, line, isResized: true };
  }
  if (asked.wipe) return { kind: 'make', number, line: lineOf(asked), isResized: false };
  return { kind: 'refuse', number, why: `has another ${differs}, and wipePartitionEntry is not true` };
}

function difference(asked: Asked, is: Present): string | undefined {
  const isOther = (wanted: string | undefined, has: string) =>
    Boolean(wanted) && wanted?.toLowerCase() !== has.toLowerCase();
  if (asked.start !== undefined && asked.start !== is.start) return 'start';
  if (isOther(asked.guid, is.guid)) return 'GUID';
  if (isOther(asked.typeGuid, is.type)) return 'type';
  if (asked.label !== undefined && asked.label !== is.label) return 'label';
  return asked.size !== undefined && asked.size !== is.size ? 'size' : undefined;
}

/** A line of sfdisk's input; what is not said, sfdisk decides. */
function lineOf({ start, size, typeGuid, guid, label }: Asked): string {
  const fields = [
    ...(start === undefined ? [] : [`start=${start}`]),
    ...(size === undefined ? [] : [`size=${size}`]),
    `type=${typeGuid || '0FC63DAF-8483-4772-8E79-3D69D8477DE4'}`,
    ...(guid ? [`uuid=${guid}`] : []),
    ...(label
      ? [`name="${label.replace(/["\\]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`)}"`]
      : []),
  ];
  return fields.join(', ');
}

/**
 * Decides about a disk some of whose partitions are listed. Nothing is changed where one of them cannot be as said.
 * @throws Problem DiskLeftAlone, DiskNotPartitioned
 */
export async function changeListed(
  entry: Listed,
  disk: BlockDevice,
  context: StepContext,
): Promise<Decision> {
  const { device, overwrite, partitions } = entry;
  if (overwrite && context.doneOtherwise && (await isAsAsked(context, entry, disk))) return { kind: 'keep' };
  const present = overwrite ? undefined : await presentOn(context, entry, disk);
  const changes = changesOf(partitions, present ?? [], disk.sectorBytes);
  const refused = changes.find((change) => change.kind === 'refuse');
  if (refused)
    throw new StepError('DiskLeftAlone', `Partition ${refused.number} of ${device} ${refused.why}`);
  const work = changes.filter(({ kind }) => kind !== 'keep');
  if (work.length === 0 && !overwrite) return { kind: 'keep' };
  const dump = present === undefined ? '' : await sfdisk(context, device, ['--dump', disk.path]);
  const made = work.flatMap((change) => (change.kind === 'make' ? [change] : []));
  const left = (present ?? []).filter(({ number }) => !work.some((change) => change.number === number));
  return {
    kind: 'write',
    // A partition that stays, or is resized, keeps what is in it.
    flags: [...(present === undefined ? ['--wipe', 'always'] : []), '--wipe-partitions', 'never'],
    script: wholeTable(dump, work),
    changes: work.length,
    partitions: left.length + made.length,
    cleared: made.filter(({ isResized }) => !isResized).map(({ number }) => number),
  };
}

/** Another document has made the table, so what is on it is the machine's own: is it the one that is asked for, and no more? */
async function isAsAsked(
  context: StepContext,
  { partitions }: Listed,
  { path, sectorBytes }: BlockDevice,
): Promise<boolean> {
  if ((await contentOf(context.host, path, 'DiskNotPartitioned')).table !== 'gpt') return false;
  const table = await readTable(context, path);
  if (table === undefined) return false;
  const changes = changesOf(partitions, table.partitions, sectorBytes);
  const isNamed = ({ number }: Present) => changes.some((change) => change.number === number);
  return changes.every(({ kind }) => kind === 'keep') && table.partitions.every(isNamed);
}

/** The partitions of a disk with a GPT; undefined for a disk with nothing on it. */
async function presentOn(
  context: StepContext,
  { device }: Listed,
  { path }: BlockDevice,
): Promise<Present[] | undefined> {
  const { table, type } = await contentOf(context.host, path, 'DiskNotPartitioned');
  if (table === undefined && type === undefined) return undefined;
  const present = table === 'gpt' ? await readTable(context, path) : undefined;
  if (present) return present.partitions;
  const holds =
    table === undefined ? type : table === 'gpt' ? 'a damaged GPT' : `a partition table of the kind ${table}`;
  throw new StepError(
    'DiskLeftAlone',
    `${device} holds ${holds} and was not partitioned: wipeTable is not true`,
  );
}
