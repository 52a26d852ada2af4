import type { StepContext } from '../../engine/step.ts';
import { runTool } from '../../tools/run-tool.ts';

/** A partition as `sfdisk --json` tells of it. */
export interface Present {
  number: number;
  start: number;
  size: number;
  type: string;
  guid: string;
  label: string;
}

/** An existing partition table. */
export interface Table {
  /** `dos`, `gpt` or another kind. */
  label: string;
  partitions: Present[];
}

/** @throws Problem DiskNotPartitioned */
export async function sfdisk(
  { host, signal }: Pick<StepContext, 'host' | 'signal'>,
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

/** The table of a disk; undefined where there is none, or one of a kind that sfdisk does not know. @throws Problem DiskNotPartitioned */
export async function readTable(
  { host }: Pick<StepContext, 'host'>,
  path: string,
): Promise<Table | undefined> {
  const { exitStatus, stdout } = await runTool(host, ['sfdisk', '--json', path], {
    doing: `read the partition table of ${path}`,
    code: 'DiskNotPartitioned',
    accept: [0, 1],
  });
  return exitStatus === 1 ? undefined : parseTable(stdout);
}

/** Parses `sfdisk --json`. */
export function parseTable(json: string): Table {
  const { partitiontable: table } = JSON.parse(json) as {
    partitiontable: {
      label: string;
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
  const partitions = (table.partitions ?? []).map(({ node, start, size, type, uuid = '', name = '' }) => ({
    ...{ number: numberOf(node), start, size, type },
    ...{ guid: uuid, label: name },
  }));
  return { label: table.label, partitions };
}

/** The number at the end of a partition's node. */
export function numberOf(node: string): number {
  return Number(/(\d+)$/.exec(node)?.[1] ?? 0);
}

/** What is to be done with a disk. */
export type Decision =
  /** It is as asked; `partitions`: how many the kernel is to show. */
  | { kind: 'keep'; partitions?: number }
  | { kind: 'leave'; holds: string }
  | {
      kind: 'write';
      /** For sfdisk. */
      flags: string[];
      script: string;
      /** How many partitions are made, changed or deleted, and how many there are then. */
      changes: number;
      partitions: number;
      /** Numbers of new ones, where what an earlier partition at the same place held is not to be found again. */
      cleared: number[];
    };
