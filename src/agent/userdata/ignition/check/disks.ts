import type { Disk, Partition, Storage } from '../schema/spec3.ts';
import type { Remarks } from './remarks.ts';
import { guidProblem, partitionLabelProblem, pathProblem } from './values.ts';

/** What Ignition says of disks and their partitions before it acts. */
export function checkDisks({ disks = [] }: Storage, say: Remarks): void {
  for (const disk of disks) {
    if (!disk.device) {
      say.error(disk, ['device'], 'is missing');
      continue;
    }
    say.error(disk, ['device'], pathProblem(disk.device, true));
    checkTogether(disk, say);
    for (const partition of disk.partitions ?? []) checkPartition(partition, say);
  }
}

function checkPartition(partition: Partition, say: Remarks): void {
  const { number = 0, label, guid, typeGuid, startMiB, sizeMiB, shouldExist } = partition;
  const says = label !== undefined || guid || typeGuid || startMiB !== undefined || sizeMiB !== undefined;
  if (shouldExist === false && says) say.error(partition, [], 'is not to exist, but has more than a number');
  if (number === 0 && label === undefined) say.error(partition, [], 'needs a number or a label');
  if (label !== undefined) {
    const problem = label.includes(':') ? 'must have no ":", at which sgdisk cuts it off' : undefined;
    say.error(partition, ['label'], partitionLabelProblem(label) ?? problem);
  }
  say.error(partition, ['guid'], guidProblem(guid));
  say.error(partition, ['typeGuid'], guidProblem(typeGuid));
}

function checkTogether({ partitions = [] }: Disk, say: Remarks): void {
  const numbers = new Set<number>();
  const labels = new Set<string>();
  for (const partition of partitions) {
    const { number = 0, label } = partition;
    if (number !== 0 && numbers.has(number)) say.error(partition, [], 'has the number of another partition');
    numbers.add(number);
    if (label === undefined) continue;
    if (labels.has(label)) say.error(partition, [], 'has the label of another partition');
    labels.add(label);
  }
  const overlapping = partitions.find((one) => partitions.some((other) => overlap(one, other)));
  if (overlapping) say.error(overlapping, [], 'overlaps with another partition');
}

/** Only partitions with a start and a size are compared; 0 is wherever there is room. */
function overlap(one: Partition, other: Partition): boolean {
  const [a, b] = [extent(one), extent(other)];
  return a !== undefined && b !== undefined && one !== other && a.start <= b.end && b.start <= a.end;
}

function extent({ startMiB, sizeMiB }: Partition): { start: number; end: number } | undefined {
  if (startMiB === undefined || sizeMiB === undefined || startMiB === 0) return undefined;
  return { start: startMiB, end: sizeMiB === 0 ? startMiB : startMiB + sizeMiB - 1 };
}
