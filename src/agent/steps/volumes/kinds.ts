import type { PartitioningEntry, VolumeEntry } from '../../document/document.ts';
import { count, type StepKind } from '../kind/step-kind.ts';

export const partitionings: StepKind<{ entries: PartitioningEntry[] }> = {
  name: 'partitionings',
  plan: ({ partitionings: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'disks', title: `partition ${count(entries.length, 'disk')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(
      ({ device, wipe, partitions }) =>
        `${device}${wipe ? ' anew' : ''}: ${count(partitions.length, 'partition')}`,
    ),
  work: async () => (await import('./partition.ts')).partitionDisks,
};

export const volumes: StepKind<{ entries: VolumeEntry[] }> = {
  name: 'volumes',
  plan: ({ volumes: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'filesystems', title: `make ${count(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(({ device, format, wipe, mount }) =>
      [`${format} on ${device}`, ...(wipe ? ['anew'] : []), ...(mount ? [`at ${mount.path}`] : [])].join(' '),
    ),
  work: async () => (await import('./format.ts')).makeVolumes,
};
