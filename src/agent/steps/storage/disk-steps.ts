import { pluralize } from '../../../kit/pluralize.ts';
import type { DiskEntry, Document, FilesystemEntry, MountEntry } from '../../document/document.ts';
import { isDivided, isListed, storageAsWritten } from '../../document/storage-as-written.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { missingTools } from './devices/missing-tools.ts';

/** Kinds of steps for partitions, file systems and mounts. A document has disks of one kind, and file systems of one. */
export const disks: StepKind<{ entries: DiskEntry[] }> = {
  name: 'disks',
  plan: (document) => partitioning(document.disks.filter(isDivided), 'disks'),
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./partition-disks.ts')).partitionDisks,
};

export const partitionings: StepKind<{ entries: DiskEntry[] }> = {
  ...disks,
  name: 'partitionings',
  plan: (document) => partitioning(document.disks.filter(isListed), 'partitionings'),
  details: ({ entries }) =>
    entries
      .filter(isListed)
      .map(
        ({ device, overwrite, partitions }) =>
          `${device}${overwrite ? ' anew' : ''}: ${pluralize(partitions.length, 'partition')}`,
      ),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries.filter(isListed))
        .filter(({ overwrite, partitions }) => overwrite || partitions.length > 0)
        .map(({ device, where }) => ({ program: 'sfdisk', what: `partition ${device}`, where })),
      context,
    ),
};

function partitioning(entries: DiskEntry[], key: 'disks' | 'partitionings') {
  const content = { entries: storageAsWritten({ disks: entries, filesystems: [] })[key] };
  return entries.length === 0
    ? []
    : [{ id: 'disks', title: `partition ${pluralize(entries.length, 'disk')}`, spec: { entries }, content }];
}

export const filesystems: StepKind<{ entries: FilesystemEntry[] }> = {
  name: 'filesystems',
  plan: (document) => formatting(document, 'filesystems'),
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./make-filesystems.ts')).makeFilesystems,
};

export const volumes: StepKind<{ entries: FilesystemEntry[] }> = {
  ...filesystems,
  name: 'volumes',
  plan: (document) => formatting(document, 'volumes'),
  details: ({ entries }) =>
    entries.map(({ device, filesystem, overwrite, mount }) =>
      [
        `${filesystem} on ${device}`,
        ...(overwrite ? ['anew'] : []),
        ...(mount ? [`at ${mount.path}`] : []),
      ].join(' '),
    ),
};

function formatting({ filesystems: all }: Document, key: 'filesystems' | 'volumes') {
  const entries = all.filter(({ isStrict = false }) => isStrict === (key === 'volumes'));
  const content = { entries: storageAsWritten({ disks: [], filesystems: entries })[key] };
  const title = `make ${pluralize(entries.length, 'file system')}`;
  return entries.length === 0 ? [] : [{ id: 'filesystems', title, spec: { entries }, content }];
}

export const mounts: StepKind<{ entries: MountEntry[] }> = {
  name: 'mounts',
  plan: ({ mounts: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'mounts', title: `mount ${pluralize(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ fields }) => fields.join(' ')),
  work: async () => (await import('./mounts/mounts.ts')).mountFilesystems,
};
