/** A disk or partition as the kernel sees it. */
export interface BlockDevice {
  /** Its device node by the kernel's name, e.g. `/dev/sdb1`. */
  path: string;
  /** Everything but a partition counts as a disk: loop devices, RAID arrays, logical volumes. */
  kind: 'disk' | 'partition';
  bytes: number;
  /** Logical sector size. */
  sectorBytes: number;
  /** The partitions that the kernel knows, by number. */
  partitions: { number: number; path: string }[];
}

export interface BlockDevices {
  /** The device behind a device node or a link to one; undefined if there is none. */
  find(path: string): Promise<BlockDevice | undefined>;
  /** At most `length` bytes of it from `offset` on; below another root an image file may stand for a device. */
  read(path: string, offset: number, length: number): Promise<Buffer>;
  /** Is it or one of its partitions mounted, used as swap, or part of an array or volume group? */
  isInUse(path: string): Promise<boolean>;
}
