/** The document's disks, arrays, encrypted devices, file systems and mounts, and the kernel's arguments. */
import type { FileEntry } from './files.ts';
import type { Position } from './position.ts';

/** A disk whose partitions are to be as said: it is divided as a whole, or some of its partitions are listed. */
export type DiskEntry = {
  device: string;
  /** All that is on the disk goes first. */
  overwrite: boolean;
  where?: Position;
} & (DividedDisk | ListedPartitions);

/** A disk with other content is left alone, with a warning. */
interface DividedDisk {
  tableType: 'mbr' | 'gpt';
  /** `true`: one partition over the whole disk; a list: sizes in per cent, each with a type code. */
  layout: boolean | { percent: number; code?: string }[];
}

/** Partitions of a GPT; those that are not named stay. A disk that cannot be so is an error. */
interface ListedPartitions {
  partitions: PartitionEntry[];
}

export interface PartitionEntry {
  /** 0: the one with the label, else the next that is free. */
  number: number;
  label?: string;
  /** 0 or nothing: where there is room, and as much as there is. */
  startMiB?: number;
  sizeMiB?: number;
  typeGuid?: string;
  guid?: string;
  exists: boolean;
  /** One that is there and not as said may be made anew. */
  wipe: boolean;
  /** One that differs by its size alone may be resized. */
  resize: boolean;
}

/** Arguments that the boot loader is to give the kernel, and those that it is not to give, each as a whole. */
export interface KernelArgumentsEntry {
  present: string[];
  absent: string[];
}

/** A RAID array. */
export interface ArrayEntry {
  name: string;
  /** Its device node. */
  path: string;
  /** As mdadm names it. */
  level: string;
  /** Spares among them, the last ones. */
  devices: string[];
  spares: number;
  /** For mdadm. */
  options: string[];
  where?: Position;
}

/** A device that is encrypted as a whole, by LUKS version 2; it is opened as /dev/mapper/NAME. */
export interface EncryptionEntry {
  name: string;
  device: string;
  label?: string;
  uuid?: string;
  /** For cryptsetup's luksFormat and luksOpen. */
  options: string[];
  openOptions: string[];
  discard: boolean;
  /** What is there goes, whatever it is. */
  wipe: boolean;
  /** The key; without one, a key is made. */
  key?: Pick<FileEntry, 'content' | 'from'>;
  /** What else opens it: servers and chips that clevis asks. */
  clevis?: ClevisSettings;
  where?: Position;
}

export interface ClevisSettings {
  pin: string;
  /** JSON. */
  config: string;
  /** Addresses of tang servers whose advertisement is to be fetched. */
  asks: string[];
  needsNetwork: boolean;
  /** Can it be opened at once, so that it is known that it can? */
  isTried: boolean;
}

export interface FilesystemEntry {
  device: string;
  filesystem: string;
  label?: string;
  uuid?: string;
  /** For its mkfs. */
  options: string[];
  /** What is there goes, whatever it is. */
  overwrite: boolean;
  /** It takes the whole device, and a device that holds something else is an error; without it, a warning. */
  isStrict?: true;
  /** Its place on the device: `auto`, `any`, `none` (the device itself) or a number. */
  partition?: string;
  replaceFs?: string;
  /** A program of the author's that makes it, with its arguments, in place of mkfs; `%(device)s` stands for the place, `%%` for a per cent. */
  command?: string[];
  /** Where it is mounted now; for later boots there are units. */
  mount?: { path: string; options: string[] };
  where?: Position;
}

export interface MountEntry {
  /** fs_spec, fs_file, fs_vfstype, fs_mntops, fs_freq, fs_passno; cloud-init's defaults fill missing ones. The last two may be empty. */
  fields: [string, string | null, string, string, string, string];
  where?: Position;
}

/**
 * Tells whether a cloud's metadata uses this name for a disk (cloud-init's `is_meta_device_name`). Templates
 * for one cloud name its disks this way. cloud-init skips names that its data source does not know, and
 * Slipway's sources know none.
 */
export function isMetadataName(device: string): boolean {
  return /^(?:ami|root|swap|(?:ephemeral|ebs)[^:]*)$/.test(device);
}
