import { omitUndefined } from '../../../../kit/json.ts';
import type {
  DiskEntry,
  FilesystemEntry,
  KernelArgumentsEntry,
  PartitionEntry,
} from '../../../document/document.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Places } from '../schema/bind.ts';
import type { Config, Disk, Filesystem, Partition, Storage } from '../schema/spec3.ts';

/** Disks and file systems of a config. What lies below the running system is an error. */
export function storageOf(
  { disks = [], filesystems = [] }: Storage,
  places: Places,
  say: Remarks,
): { disks: DiskEntry[]; filesystems: FilesystemEntry[] } {
  return {
    disks: disks.map((disk) => diskOf(disk, places)),
    filesystems: filesystems.flatMap((one) => filesystemOf(one, places, say)),
  };
}

function diskOf(disk: Disk, places: Places): DiskEntry {
  const { where } = places.of(disk);
  return {
    device: disk.device ?? '',
    overwrite: disk.wipeTable === true,
    partitions: (disk.partitions ?? []).map(partitionOf),
    ...(where ? { where } : {}),
  };
}

function partitionOf(partition: Partition): PartitionEntry {
  const { number = 0, label, startMiB, sizeMiB, typeGuid, guid } = partition;
  return {
    number,
    ...omitUndefined({ label, startMiB, sizeMiB }),
    ...(typeGuid ? { typeGuid } : {}),
    ...(guid ? { guid } : {}),
    exists: partition.shouldExist !== false,
    wipe: partition.wipePartitionEntry === true,
    resize: partition.resize === true,
  };
}

function filesystemOf(filesystem: Filesystem, places: Places, say: Remarks): FilesystemEntry[] {
  const { device = '', format = '', label, uuid, options = [], mountOptions = [], path } = filesystem;
  if (path === '/')
    say.error(
      filesystem,
      ['path'],
      'is the root file system of a running machine; only an initramfs can create it',
    );
  if (format === '' || format === 'none') return [];
  const { where } = places.of(filesystem);
  const isMounted = path !== undefined && path !== '' && format !== 'swap';
  return [
    {
      device,
      filesystem: format,
      isStrict: true,
      ...(label ? { label } : {}),
      ...(uuid ? { uuid } : {}),
      options,
      overwrite: filesystem.wipeFilesystem === true,
      ...(isMounted ? { mount: { path, options: mountOptions } } : {}),
      ...(where ? { where } : {}),
    },
  ];
}

/** Settings of boot loaders are read by shells, and a space would make two arguments of one. */
const ARGUMENT = /^[\x21-\x7e]+$/;
const OF_A_SHELL = /["'`$\\]/;

/** Kernel arguments that a config wants present or absent. One that no boot loader takes as it is, is an error. */
export function kernelArgumentsOf(
  { kernelArguments = {} }: Config,
  say: Remarks,
): { kernelArguments?: KernelArgumentsEntry } {
  const { shouldExist = [], shouldNotExist = [] } = kernelArguments;
  for (const list of [shouldExist, shouldNotExist])
    for (const [index, one] of list.entries())
      if (one !== '' && (!ARGUMENT.test(one) || OF_A_SHELL.test(one)))
        say.error(list, [index], 'has a space, a quote or another character that boot loaders do not accept');
  const [present, absent] = [shouldExist, shouldNotExist].map((list) => list.filter((one) => one !== '')) as [
    string[],
    string[],
  ];
  return present.length + absent.length === 0 ? {} : { kernelArguments: { present, absent } };
}
