/**
 * Disks and file systems as Slipway's own document writes them, by two keys each. Digests of steps are made of this form: they must
 * not change when members of the entries are renamed here, or a step that is done would count as another one.
 */
import type { DiskEntry, FilesystemEntry } from './storage.ts';

type Divided = Extract<DiskEntry, { layout: unknown }>;
type Listed = Extract<DiskEntry, { partitions: unknown }>;

export const isDivided = (disk: DiskEntry): disk is Divided => 'layout' in disk;
export const isListed = (disk: DiskEntry): disk is Listed => 'partitions' in disk;

type WrittenListed = Omit<Listed, 'overwrite'> & { wipe: boolean };
type WrittenLoose = Omit<FilesystemEntry, 'options'> & { extraOpts: string[] };
type WrittenStrict = Omit<FilesystemEntry, 'filesystem' | 'overwrite' | 'isStrict'> & {
  format: string;
  wipe: boolean;
};

export interface WrittenStorage {
  disks?: Divided[];
  partitionings?: WrittenListed[];
  filesystems?: WrittenLoose[];
  volumes?: WrittenStrict[];
}

export function storageAsWritten(storage: {
  disks: readonly DiskEntry[];
  filesystems: readonly FilesystemEntry[];
}): Required<WrittenStorage> {
  return {
    disks: storage.disks.filter(isDivided),
    partitionings: storage.disks
      .filter(isListed)
      .map(({ overwrite, ...rest }) => ({ ...rest, wipe: overwrite })),
    filesystems: storage.filesystems
      .filter(({ isStrict }) => !isStrict)
      .map(({ options, ...rest }) => ({ ...rest, extraOpts: options })),
    volumes: storage.filesystems
      .filter(({ isStrict }) => isStrict)
      .map(({ filesystem, overwrite, isStrict: _, ...rest }) => ({
        ...rest,
        format: filesystem,
        wipe: overwrite,
      })),
  };
}

export function storageOfWritten({
  disks = [],
  partitionings = [],
  filesystems = [],
  volumes = [],
}: WrittenStorage): { disks: DiskEntry[]; filesystems: FilesystemEntry[] } {
  return {
    disks: [...disks, ...partitionings.map(({ wipe, ...rest }) => ({ ...rest, overwrite: wipe }))],
    filesystems: [
      ...filesystems.map(({ extraOpts, ...rest }) => ({ ...rest, options: extraOpts })),
      ...volumes.map(({ format, wipe, ...rest }) => ({
        ...rest,
        filesystem: format,
        overwrite: wipe,
        isStrict: true as const,
      })),
    ],
  };
}
