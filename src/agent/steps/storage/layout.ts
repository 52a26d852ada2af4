import type { DiskEntry } from '../../document/document.ts';
import type { BlockDevice } from '../../host/host.ts';
import { Problem } from '../tools/problem.ts';
import { partitionType } from './partition-types.ts';

/** One partition to be: sectors (the last one takes what is left), type as sfdisk writes it. */
export interface PlannedPartition {
  sectors?: number;
  type: string;
  /** Whether user data names the type; else any type will do for a partition that is there. */
  typed: boolean;
}

/** A partition table that is there. */
export interface PresentTable {
  /** `dos`, `gpt` or another kind; undefined for one that sfdisk cannot read. */
  label: string | undefined;
  types: string[];
}

/**
 * The partitions that an entry asks for (cloud-init's `get_partition_mbr_layout` and `_gpt_layout`).
 * @throws Problem DiskNotPartitioned for a type code that is not known.
 */
export function plannedPartitions(
  entry: DiskEntry,
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
      throw new Problem('DiskNotPartitioned', cause);
    }
    const sectors = Math.floor(((bytes / sectorBytes) * percent) / 100);
    return { type, typed: code !== undefined, ...(index < parts.length - 1 ? { sectors } : {}) };
  });
}

/** What sfdisk reads on its standard input. */
export function sfdiskScript(tableType: 'mbr' | 'gpt', partitions: readonly PlannedPartition[]): string {
  const lines = partitions.map(
    ({ sectors, type }) => `${sectors === undefined ? '' : `size=${sectors}, `}type=${type}`,
  );
  return `label: ${tableType === 'mbr' ? 'dos' : 'gpt'}\n\n${lines.join('\n')}\n`;
}

/** Reads `sfdisk --json`. */
export function parseTable(json: string): PresentTable {
  const { partitiontable: table } = JSON.parse(json) as {
    partitiontable: { label: string; partitions?: { type: string }[] };
  };
  return { label: table.label, types: (table.partitions ?? []).map(({ type }) => type) };
}

/**
 * Is the table that is there the one asked for? By number and types of the partitions, as in cloud-init: sizes are not
 * looked at, and for `layout: true` any partition will do.
 */
export function isAsPlanned(
  entry: DiskEntry,
  present: PresentTable,
  planned: readonly PlannedPartition[],
): boolean {
  if (entry.layout === true) return present.label !== undefined && present.types.length > 0;
  const sameLabel = present.label === (entry.tableType === 'mbr' ? 'dos' : 'gpt');
  return (
    sameLabel &&
    present.types.length === planned.length &&
    planned.every(
      ({ type, typed }, index) => !typed || present.types[index]?.toUpperCase() === type.toUpperCase(),
    )
  );
}
