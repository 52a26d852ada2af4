import type { DiskEntry, FilesystemEntry, MountEntry } from '../../document/document.ts';
import { count, type StepKind } from '../kind/step-kind.ts';

export const disks: StepKind<{ entries: DiskEntry[] }> = {
  name: 'disks',
  plan: ({ disks: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'disks', title: `partition ${count(entries.length, 'disk')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./disks.ts')).partitionDisks,
};

export const filesystems: StepKind<{ entries: FilesystemEntry[] }> = {
  name: 'filesystems',
  plan: ({ filesystems: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'filesystems', title: `make ${count(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ device }) => device),
  work: async () => (await import('./filesystems.ts')).makeFilesystems,
};

export const mounts: StepKind<{ entries: MountEntry[] }> = {
  name: 'mounts',
  plan: ({ mounts: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'mounts', title: `mount ${count(entries.length, 'file system')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ fields }) => fields.join(' ')),
  work: async () => (await import('./mounts.ts')).mountFilesystems,
};
