import { counted } from '../../../kit/counted.ts';
import type { DiskEntry, FilesystemEntry, MountEntry } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';

/** Kinds of steps for disks as cloud-config has them: tables, file systems, mounts. Ignition's lie in volumes. */
export const disks: StepKind<{ entries: DiskEntry[] }> = {
  name: 'disks',
  plan: ({ disks: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'disks', title: `partition ${counted(entries.length, 'disk')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./disks.ts')).partitionDisks,
};

export const filesystems: StepKind<{ entries: FilesystemEntry[] }> = {
  name: 'filesystems',
  plan: ({ filesystems: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'filesystems', title: `make ${counted(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./filesystems.ts')).makeFilesystems,
};

export const mounts: StepKind<{ entries: MountEntry[] }> = {
  name: 'mounts',
  plan: ({ mounts: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'mounts', title: `mount ${counted(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ fields }) => fields.join(' ')),
  work: async () => (await import('./mounts.ts')).mountFilesystems,
};
