import type { DiskEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import { StepError } from '../../tools/step-error.ts';
import { contentOf } from './devices/content.ts';
import type { Decision } from './sfdisk.ts';
import { readTable, type Table } from './sfdisk.ts';

type Divided = Extract<DiskEntry, { layout: unknown }>;

/**
 * Decides about a disk that is divided as a whole. @throws Problem DiskNotPartitioned
 */
export async function divide(
  entry: Divided,
  disk: BlockDevice,
  context: Pick<StepContext, 'host'>,
): Promise<Decision> {
  const planned = plannedPartitions(entry, disk);
  const content = await contentOf(context.host, disk.path, 'DiskNotPartitioned');
  const table = content.table === undefined ? undefined : await readTable(context, disk.path);
  if (table && isAsPlanned(entry, table, planned))
    return { kind: 'keep', partitions: table.partitions.length };
  // A table that sfdisk cannot read may have any number of them.
  const present = content.table === undefined ? 0 : (table?.partitions.length ?? 1);
  const holds = present > 0 ? `${present} partition(s)` : content.type;
  if (holds !== undefined && !entry.overwrite) return { kind: 'leave', holds };
  return {
    kind: 'write',
    // Old marks would make the new partitions look used to the next step.
    flags: ['--wipe', 'always', '--wipe-partitions', 'always'],
    script: sfdiskScript(entry, planned),
    ...{ changes: planned.length, partitions: planned.length, cleared: [] },
  };
}

/** A desired partition: sectors (absent for the last, which takes the rest) and type in sfdisk's words. */
interface PlannedPartition {
  sectors?: number;
  type: string;
  /** True if user data names the type; otherwise an existing partition may have any type. */
  typed: boolean;
}

/**
 * The partitions that an entry asks for (cloud-init's `get_partition_mbr_layout` and `_gpt_layout`).
 * @throws Problem DiskNotPartitioned for an unknown type code
 */
export function plannedPartitions(
  entry: Divided,
  { bytes, sectorBytes }: Pick<BlockDevice, 'bytes' | 'sectorBytes'>,
): PlannedPartition[] {
  if (entry.layout === false) return [];
  const parts: { percent: number; code?: string }[] =
    entry.layout === true ? [{ percent: 100 }] : entry.layout;
  return parts.map(({ percent, code }, index) => {
    const type = partitionType(entry.tableType, code);
    if (type === undefined) {
      const hint = entry.tableType === 'gpt' ? 'give the GUID' : 'give one or two hexadecimal digits';
      const cause = `The partition type ${code} for ${entry.device} is not known (${hint})`;
      throw new StepError('DiskNotPartitioned', cause);
    }
    const sectors = Math.floor(((bytes / sectorBytes) * percent) / 100);
    return { type, typed: code !== undefined, ...(index < parts.length - 1 ? { sectors } : {}) };
  });
}

/** The script for sfdisk's standard input. */
export function sfdiskScript(entry: Divided, partitions: readonly PlannedPartition[]): string {
  const lines = partitions.map(
    ({ sectors, type }) => `${sectors === undefined ? '' : `size=${sectors}, `}type=${type}`,
  );
  return `label: ${labelOf(entry)}\n\n${lines.join('\n')}\n`;
}

/**
 * Compares the existing table with the desired one by number and types of partitions. Like cloud-init it
 * ignores sizes, and for `layout: true` any partition will do.
 */
export function isAsPlanned(entry: Divided, present: Table, planned: readonly PlannedPartition[]): boolean {
  const { label, partitions } = present;
  if (entry.layout === true) return partitions.length > 0;
  return (
    label === labelOf(entry) &&
    partitions.length === planned.length &&
    planned.every(
      ({ type, typed }, index) => !typed || partitions[index]?.type.toUpperCase() === type.toUpperCase(),
    )
  );
}

const labelOf = ({ tableType }: Divided): 'dos' | 'gpt' => (tableType === 'mbr' ? 'dos' : 'gpt');

/** GPT types for the codes of user data: those of an MBR, or sgdisk's four digits for them. */
const LINUX = '0FC63DAF-8483-4772-8E79-3D69D8477DE4';
const BASIC_DATA = 'EBD0A0A2-B9E5-4433-87C0-68B6B72699C7';
const GPT_TYPES: Readonly<Record<string, string>> = {
  '0600': BASIC_DATA,
  '0700': BASIC_DATA,
  '0B00': BASIC_DATA,
  '0C00': BASIC_DATA,
  '0E00': BASIC_DATA,
  '8200': '0657FD6D-A4AB-43C4-84E5-0933C84B4F4F',
  '8300': LINUX,
  '8302': '933AC7E1-2EB4-4F13-B844-0E14E2AEF915',
  '8303': '44479540-F297-41B2-9AF7-D131D5F0458A',
  '8304': '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709',
  '8309': 'CA7D7CCB-63ED-4C53-861C-1742536059CC',
  '8E00': 'E6D6D379-F507-44C2-A23C-238F2A3DF928',
  EF00: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
  EF02: '21686148-6449-6E6F-744E-656564454649',
  FD00: 'A19D880F-05FC-4D3B-A006-743F0F84911E',
};

/** A type in sfdisk's words for this kind of table; undefined for an unknown code. */
function partitionType(table: 'mbr' | 'gpt', code: string | undefined): string | undefined {
  const upper = code?.toUpperCase();
  if (table === 'mbr') {
    if (upper === undefined) return '83';
    return /^[0-9A-F]{1,2}$/.test(upper) ? upper.replace(/^0(?=.)/, '').toLowerCase() : undefined;
  }
  if (upper === undefined) return LINUX;
  return upper.length === 36 ? upper : GPT_TYPES[upper.padStart(2, '0').padEnd(4, '0')];
}
