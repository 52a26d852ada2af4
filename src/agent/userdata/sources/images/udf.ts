import {
  checkSize,
  damaged,
  type Entry,
  MAX_DIRECTORY_BYTES,
  MAX_ENTRIES,
  type ReadAt,
  readExactly,
  type Volume,
} from './volume.ts';

/** Tags of ECMA-167. */
const ANCHOR = 2;
const PRIMARY = 1;
const PARTITION = 5;
const LOGICAL = 6;
const TERMINATOR = 8;
const FILE_SET = 256;
const ANCHOR_SECTOR = 256;
const MAX_DESCRIPTORS = 64;
/** Sector sizes, the optical one first. */
const SECTORS = [2048, 512, 4096];

/** @returns undefined if it is no UDF volume */
export async function openUdf(read: ReadAt): Promise<Volume | undefined> {
  for (const sector of SECTORS) {
    const anchor = await read(ANCHOR_SECTOR * sector, 512);
    if (isTagged(anchor, ANCHOR, ANCHOR_SECTOR))
      return volume(read, sector, anchor.readUInt32LE(20), anchor.readUInt32LE(16));
  }
  return undefined;
}

async function volume(read: ReadAt, sector: number, start: number, bytes: number): Promise<Volume> {
  const partitions = new Map<number, number>();
  let label = '';
  let logical: Buffer | undefined;
  const count = Math.min(Math.floor(bytes / sector), MAX_DESCRIPTORS);
  for (let index = 0; index < count; index += 1) {
    const descriptor = await read((start + index) * sector, sector);
    if (isTagged(descriptor, TERMINATOR)) break;
    if (isTagged(descriptor, PRIMARY)) label ||= dstring(descriptor.subarray(24, 56));
    if (isTagged(descriptor, PARTITION))
      partitions.set(descriptor.readUInt16LE(22), descriptor.readUInt32LE(188) * sector);
    if (isTagged(descriptor, LOGICAL)) logical = descriptor;
  }
  if (logical === undefined) throw damaged('no logical volume descriptor');
  const block = logical.readUInt32LE(212);
  if (!SECTORS.includes(block)) throw damaged('its block size');
  const map = partitionMap(logical, partitions);
  const place: UdfPartition = {
    ...{ read, block },
    startOf: (reference) => {
      const offset = map[reference];
      if (offset === undefined) throw damaged('a partition that is not in the map');
      return offset;
    },
  };
  const fileSet = await readExactly(
    read,
    place.startOf(logical.readUInt16LE(256)) + logical.readUInt32LE(252) * block,
    512,
  );
  if (!isTagged(fileSet, FILE_SET)) throw damaged('no file set descriptor');
  const labels = [dstring(logical.subarray(84, 212)), label].filter((each) => each !== '');
  return {
    type: 'udf',
    labels,
    root: await udfEntry(place, fileSet.readUInt32LE(404), fileSet.readUInt16LE(408)),
  };
}

/** Plain partitions only; those of rewritable media and of metadata partitions (UDF 2.50) have maps of another type. */
function partitionMap(logical: Buffer, partitions: Map<number, number>): (number | undefined)[] {
  const count = Math.min(logical.readUInt32LE(268), 8);
  const map: (number | undefined)[] = [];
  let at = 440;
  for (let index = 0; index < count && at + 6 <= logical.length; index += 1) {
    const [type, length] = [logical[at], logical[at + 1] ?? 0];
    map.push(type === 1 ? partitions.get(logical.readUInt16LE(at + 4)) : undefined);
    if (length === 0) break;
    at += length;
  }
  return map;
}

/** A string with its length in its last byte. */
function dstring(bytes: Buffer): string {
  return udfText(bytes.subarray(0, Math.min(bytes.at(-1) ?? 0, bytes.length - 1)));
}

const FILE_IDENTIFIER = 257;
const FILE_ENTRY = 261;
const EXTENDED_FILE_ENTRY = 266;
const TYPE_DIRECTORY = 4;
const IS_DELETED = 4;
const IS_PARENT = 8;
const MAX_EXTENTS = 4096;
/** The two high bits of an extent's length: recorded, or only allocated. */
const LENGTH = 0x3fffffff;

/** The file or directory whose entry lies in a block of a partition. @throws HostError EIO for damage */
async function udfEntry(place: UdfPartition, block: number, reference: number): Promise<Entry> {
  const offset = place.startOf(reference) + block * place.block;
  const entry = await readExactly(place.read, offset, place.block);
  const isExtended = isTagged(entry, EXTENDED_FILE_ENTRY);
  if (!isExtended && !isTagged(entry, FILE_ENTRY)) throw damaged('no file entry where one should be');
  const bytes = Number(entry.readBigUInt64LE(56));
  const content = () => allocated(place, entry, isExtended, reference, bytes);
  if (entry[27] !== TYPE_DIRECTORY)
    return {
      content: () => {
        checkSize(bytes);
        return content();
      },
    };
  return {
    children: async () => {
      if (bytes > MAX_DIRECTORY_BYTES) throw damaged('a directory of more than 1 MiB');
      return identified(place, await content());
    },
  };
}

/** What a file or directory holds: in its entry itself, or in extents that the entry lists. */
async function allocated(
  { read, block, startOf }: UdfPartition,
  entry: Buffer,
  isExtended: boolean,
  reference: number,
  bytes: number,
): Promise<Buffer> {
  const [attributesAt, headBytes] = isExtended ? [208, 216] : [168, 176];
  const start = headBytes + entry.readUInt32LE(attributesAt);
  const descriptors = entry.subarray(start, start + entry.readUInt32LE(attributesAt + 4));
  const kind = entry.readUInt16LE(34) & 7;
  if (kind === 3) return descriptors.subarray(0, bytes);
  if (kind !== 0 && kind !== 1) throw damaged('an allocation type');
  const size = kind === 0 ? 8 : 16;
  const parts: Buffer[] = [];
  let left = bytes;
  for (let at = 0; at + size <= descriptors.length && left > 0; at += size) {
    const length = Math.min(descriptors.readUInt32LE(at) & LENGTH, left);
    const flags = descriptors.readUInt32LE(at) >>> 30;
    if (length === 0 || flags === 3 || at / size > MAX_EXTENTS) break;
    const from =
      startOf(kind === 0 ? reference : descriptors.readUInt16LE(at + 8)) +
      descriptors.readUInt32LE(at + 4) * block;
    parts.push(flags === 0 ? await readExactly(read, from, length) : Buffer.alloc(length));
    left -= length;
  }
  if (left > 0) throw damaged('a file ends before its size');
  return Buffer.concat(parts);
}

/** The entries of a directory. */
async function identified(place: UdfPartition, bytes: Buffer): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for (let at = 0; at + 38 <= bytes.length; ) {
    const head = bytes.subarray(at);
    if (!isTagged(head, FILE_IDENTIFIER)) throw damaged('a directory');
    const flags = head[18] ?? 0;
    const nameBytes = head[19] ?? 0;
    const nameAt = 38 + head.readUInt16LE(36);
    if (nameAt + nameBytes > head.length) throw damaged('a name in a directory');
    const [block, reference] = [head.readUInt32LE(24), head.readUInt16LE(28)];
    if (!(flags & (IS_DELETED | IS_PARENT))) {
      const name = udfText(head.subarray(nameAt, nameAt + nameBytes));
      found.set(name, await udfEntry(place, block, reference));
    }
    if (found.size > MAX_ENTRIES) throw damaged('a directory with too many entries');
    at += (nameAt + nameBytes + 3) & ~3;
  }
  return found;
}

/** Where blocks of a partition lie. */
interface UdfPartition {
  read: ReadAt;
  block: number;
  /** Offset in bytes of the partition with this number in the volume's map. */
  startOf(reference: number): number;
}

/** Does a descriptor with this tag stand here, and does its checksum say so? */
function isTagged(bytes: Buffer, tag: number, location?: number): boolean {
  if (bytes.length < 32 || bytes.readUInt16LE(0) !== tag) return false;
  let sum = 0;
  for (let at = 0; at < 16; at += 1) if (at !== 4) sum = (sum + (bytes[at] ?? 0)) & 0xff;
  return sum === bytes[4] && (location === undefined || bytes.readUInt32LE(12) === location);
}

/** OSTA's compressed unicode: 8 or 16 bits a character, as its first byte says. */
function udfText(bytes: Buffer): string {
  if (bytes[0] === 8) return bytes.toString('latin1', 1);
  if (bytes[0] !== 16) return '';
  return Buffer.from(bytes.subarray(1, 1 + ((bytes.length - 1) & ~1)))
    .swap16()
    .toString('utf16le');
}
