import type { PartitionEntry, PartitioningEntry, VolumeEntry } from '../../../document/document.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Places } from '../schema/places.ts';
import type { Disk, Filesystem, Partition, Storage } from '../schema/spec3.ts';

/** Disks and file systems of a config. What lies below the running system is an error. */
export function storageOf(
  { disks = [], filesystems = [] }: Storage,
  places: Places,
  say: Remarks,
): { partitionings: PartitioningEntry[]; volumes: VolumeEntry[] } {
  return {
    partitionings: disks.map((disk) => partitioningOf(disk, places)),
    volumes: filesystems.flatMap((one) => volumeOf(one, places, say)),
  };
}

function partitioningOf(disk: Disk, places: Places): PartitioningEntry {
  const { where } = places.of(disk);
  return {
    device: disk.device ?? '',
    wipe: disk.wipeTable === true,
    partitions: (disk.partitions ?? []).map(partitionOf),
    ...(where ? { where } : {}),
  };
}

function partitionOf(partition: Partition): PartitionEntry {
  const { number = 0, label, startMiB, sizeMiB, typeGuid, guid } = partition;
  return {
    number,
    ...(label === undefined ? {} : { label }),
    ...(startMiB === undefined ? {} : { startMiB }),
    ...(sizeMiB === undefined ? {} : { sizeMiB }),
    ...(typeGuid ? { typeGuid } : {}),
    ...(guid ? { guid } : {}),
    exists: partition.shouldExist !== false,
    wipe: partition.wipePartitionEntry === true,
    resize: partition.resize === true,
  };
}

function volumeOf(filesystem: Filesystem, places: Places, say: Remarks): VolumeEntry[] {
  const { device = '', format = '', label, uuid, options = [], mountOptions = [], path } = filesystem;
  if (path === '/')
    say.error(
      filesystem,
      ['path'],
      'is the root of a machine that runs already; only an initramfs can make it',
    );
  if (format === '' || format === 'none') return [];
  const { where } = places.of(filesystem);
  const isMounted = path !== undefined && path !== '' && format !== 'swap';
  return [
    {
      device,
      format: format as VolumeEntry['format'],
      ...(label ? { label } : {}),
      ...(uuid ? { uuid } : {}),
      options,
      wipe: filesystem.wipeFilesystem === true,
      ...(isMounted ? { mount: { path, options: mountOptions } } : {}),
      ...(where ? { where } : {}),
    },
  ];
}
