import { counted } from '../../../kit/counted.ts';
import type { ArrayEntry, PartitioningEntry, VolumeEntry } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { EncryptionSpec } from './encryption-spec.ts';
import { missingTools } from './missing-tools.ts';

/** Kinds of steps for disks as Ignition has them: partitions, arrays, encryption, file systems. cloud-config's lie in storage. */
export const partitionings: StepKind<{ entries: PartitioningEntry[] }> = {
  name: 'partitionings',
  plan: ({ partitionings: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'disks', title: `partition ${counted(entries.length, 'disk')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(
      ({ device, wipe, partitions }) =>
        `${device}${wipe ? ' anew' : ''}: ${counted(partitions.length, 'partition')}`,
    ),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries)
        .filter(({ wipe, partitions }) => wipe || partitions.length > 0)
        .map(({ device, where }) => ({ program: 'sfdisk', what: `partition ${device}`, where })),
      context,
    ),
  work: async () => (await import('./partition.ts')).partitionDisks,
};

export const arrays: StepKind<{ entries: ArrayEntry[] }> = {
  name: 'arrays',
  plan: ({ arrays: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'raid', title: `make ${counted(entries.length, 'RAID array')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(({ name, level, devices }) => `${name}, ${level} of ${devices.join(', ')}`),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries)
        .map(({ name, where }) => ({ program: 'mdadm', what: `make the array ${name}`, where })),
      context,
    ),
  work: async () => (await import('./arrays.ts')).makeArrays,
};

export const encryptions: StepKind<EncryptionSpec> = {
  name: 'encryptions',
  plan: (document) => {
    const { encryptions: entries = [], fetching = { authorities: [] } } = document;
    if (entries.length === 0) return [];
    const keys = entries.flatMap(({ key }) => (key ? [key] : []));
    const spec = { entries, fetching, ...storesFor(document, keys) };
    return [{ id: 'luks', title: `encrypt ${counted(entries.length, 'device')}`, spec }];
  },
  details: ({ entries }) =>
    entries.map(({ name, device, wipe, clevis }) =>
      [`${device} as /dev/mapper/${name}`, ...(wipe ? ['anew'] : []), ...(clevis ? ['by clevis'] : [])].join(
        ' ',
      ),
    ),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries)
        .flatMap(({ name, clevis, where }) => [
          { program: 'cryptsetup', what: `encrypt ${name}`, where },
          ...(clevis ? [{ program: 'clevis', what: `bind ${name} to its keys`, where }] : []),
        ]),
      context,
    ),
  work: async () => (await import('./encrypt.ts')).encryptDevices,
};

export const volumes: StepKind<{ entries: VolumeEntry[] }> = {
  name: 'volumes',
  plan: ({ volumes: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'filesystems', title: `make ${counted(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(({ device, format, wipe, mount }) =>
      [`${format} on ${device}`, ...(wipe ? ['anew'] : []), ...(mount ? [`at ${mount.path}`] : [])].join(' '),
    ),
  work: async () => (await import('./format.ts')).makeVolumes,
};
