import type { DiskEntry } from '../../document/document.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import { Problem } from '../../tools/problem.ts';
import { partitionType } from './partition-types.ts';

/** A desired partition: sectors (absent for the last, which takes the rest) and type in sfdisk's words. */
interface PlannedPartition {
  sectors?: number;
  type: string;
  /** True if user data names the type; otherwise an existing partition may have any type. */
  typed: boolean;
}

/** An existing partition table. */
export interface PresentTable {
  /** `dos`, `gpt` or another kind; undefined if sfdisk cannot read it. */
  label: string | undefined;
  types: string[];
}

/**
 * The partitions that an entry asks for (cloud-init's `get_partition_mbr_layout` and `_gpt_layout`).
 * @throws Problem DiskNotPartitioned for an unknown type code
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

/** The script for sfdisk's standard input. */
export function sfdiskScript(tableType: 'mbr' | 'gpt', partitions: readonly PlannedPartition[]): string {
  const lines = partitions.map(
    ({ sectors, type }) => `${sectors === undefined ? '' : `size=${sectors}, `}type=${type}`,
  );
  return `label: ${tableType === 'mbr' ? 'dos' : 'gpt'}\n\n${lines.join('\n')}\n`;
}

/** Parses `sfdisk --json`. */
export function parseTable(json: string): PresentTable {
  const { partitiontable: table } = JSON.parse(json) as {
    partitiontable: { label: string; partitions?: { type: string }[] };
  };
  return { label: table.label, types: (table.partitions ?? []).map(({ type }) => type) };
}

/**
 * Compares the existing table with the desired one by number and types of partitions. Like cloud-init it
 * ignores sizes, and for `layout: true` any partition will do.
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
