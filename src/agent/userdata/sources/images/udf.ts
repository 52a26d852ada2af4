import { udfEntry } from './udf-entry.ts';
import { isTagged, type UdfPartition, udfText } from './udf-format.ts';
import { damaged, type ReadAt, readExactly, type Volume } from './volume.ts';

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
