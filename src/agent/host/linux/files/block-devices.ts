import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BlockDevice, BlockDevices } from '../../block-devices.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';
import { resolveInRoot } from './paths/resolve.ts';

/** The kernel's own list. It knows every device, with or without udev, and below any root. */
const KERNEL = '/sys/dev/block';
/** The unit of /sys, whatever the disk's own sector size is. */
const SYS_SECTOR = 512;

/** Disks and partitions of the Linux machine whose `/` is `root`, as the kernel lists them. */
export function createBlockDevices(root: string): BlockDevices {
  return {
    async find(path) {
      const stat = statOf(resolveInRoot(root, path));
      if (!stat?.isBlockDevice()) return undefined;
      const kernel = `${KERNEL}/${major(stat.rdev)}:${minor(stat.rdev)}`;
      try {
        return describe(realpathSync(kernel));
      } catch (error) {
        // A device node without a device, for example of a detached disk.
        if (isErrno(error, 'ENOENT')) return undefined;
        throw toHostError(error, 'looking at', path);
      }
    },

    async read(path, offset, length) {
      try {
        return readBytes(root, path, offset, length);
      } catch (error) {
        throw toHostError(error, 'reading', path);
      }
    },

    async isInUse(path) {
      try {
        // The kernel grants exclusive access to one user: a mount, swap, LVM, RAID. A partition's user holds
        // the disk too.
        closeSync(
          openSync(resolveInRoot(root, path), constants.O_RDONLY | constants.O_EXCL | constants.O_NONBLOCK),
        );
        return false;
      } catch (error) {
        if (isErrno(error, 'EBUSY')) return true;
        throw toHostError(error, 'opening', path);
      }
    },
  };
}

function readBytes(root: string, path: string, offset: number, length: number): Buffer {
  const fd = openSync(
    resolveInRoot(root, path),
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
  );
  try {
    const stat = fstatSync(fd);
    if (!stat.isBlockDevice() && !stat.isFile())
      throw new HostError(`reading ${path}: is not a block device`, 'EINVAL', path);
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
  } finally {
    closeSync(fd);
  }
}

function describe(kernel: string): BlockDevice {
  const read = (name: string) => readFileSync(join(kernel, name), 'utf8').trim();
  const name = kernel.slice(kernel.lastIndexOf('/') + 1);
  const isPartition = statOf(join(kernel, 'partition')) !== undefined;
  const partitions = readdirSync(kernel)
    .filter((entry) => statOf(join(kernel, entry, 'partition')) !== undefined)
    .map((entry) => ({
      number: Number(read(`${entry}/partition`)),
      path: nodeOf(entry),
    }))
    .sort((a, b) => a.number - b.number);
  return {
    path: nodeOf(name),
    kind: isPartition ? 'partition' : 'disk',
    bytes: Number(read('size')) * SYS_SECTOR,
    sectorBytes: Number(read(isPartition ? '../queue/logical_block_size' : 'queue/logical_block_size')),
    partitions,
  };
}

/** The kernel writes "!" instead of "/" in names such as cciss!c0d0. */
function nodeOf(name: string): string {
  return `/dev/${name.replaceAll('!', '/')}`;
}

function statOf(path: string): ReturnType<typeof statSync> | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Decodes Linux's device numbers (gnu_dev_major, gnu_dev_minor) as far as the kernel's 12 + 20 bits go. */
function major(rdev: number | bigint): number {
  return Number((BigInt(rdev) >> 8n) & 0xfffn);
}

function minor(rdev: number | bigint): number {
  return Number((BigInt(rdev) & 0xffn) | ((BigInt(rdev) >> 12n) & 0xfff00n));
}
