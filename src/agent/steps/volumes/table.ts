import type { PartitionEntry } from '../../document/document.ts';

/** A partition as `sfdisk --json` tells of it. */
export interface Present {
  number: number;
  start: number;
  size: number;
  type: string;
  guid: string;
  label: string;
}

/** A partition with its number, in sectors. */
interface Asked extends PartitionEntry {
  start?: number;
  size?: number;
}

/** What is to be done with a partition. */
export type Change =
  | { kind: 'keep' | 'delete'; number: number }
  | { kind: 'make'; number: number; line: string; isResized: boolean }
  | { kind: 'refuse'; number: number; why: string };

/** Parses `sfdisk --json`. */
export function parsePresent(json: string): Present[] {
  const { partitiontable: table } = JSON.parse(json) as {
    partitiontable: {
      partitions?: {
        node: string;
        start: number;
        size: number;
        type: string;
        uuid?: string;
        name?: string;
      }[];
    };
  };
  return (table.partitions ?? []).map(({ node, start, size, type, uuid = '', name = '' }) => ({
    number: numberOf(node),
    start,
    size,
    type,
    guid: uuid,
    label: name,
  }));
}

function numberOf(node: string): number {
  return Number(/(\d+)$/.exec(node)?.[1] ?? 0);
}

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
