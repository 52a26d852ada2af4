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

/** Below these counts of clusters it is FAT12 and FAT16 (Microsoft's specification of 2000, page 14). */
const FAT12_CLUSTERS = 4085;
const FAT16_CLUSTERS = 65_525;
const IS_LABEL = 8;
const IS_DIRECTORY = 16;

interface Layout {
  read: ReadAt;
  bits: 12 | 16 | 32;
  clusterBytes: number;
  clusters: number;
  /** Offsets in bytes. */
  table: number;
  data: number;
}

/** @returns undefined if it is no FAT file system */
export async function openFat(read: ReadAt): Promise<Volume | undefined> {
  const boot = await read(0, 512);
  if (boot.length < 512 || boot.readUInt16LE(510) !== 0xaa55) return undefined;
  const sector = boot.readUInt16LE(11);
  const perCluster = boot[13] ?? 0;
  const reserved = boot.readUInt16LE(14);
  const tables = boot[16] ?? 0;
  const tableSectors = boot.readUInt16LE(22) || boot.readUInt32LE(36);
  const sectors = boot.readUInt16LE(19) || boot.readUInt32LE(32);
  const rootEntries = boot.readUInt16LE(17);
  const rootSectors = Math.ceil((rootEntries * 32) / (sector || 512));
  const dataSector = reserved + tables * tableSectors + rootSectors;
  const isPower = (value: number) => value > 0 && (value & (value - 1)) === 0;
  if (![512, 1024, 2048, 4096].includes(sector) || !isPower(perCluster) || reserved === 0 || tables === 0)
    return undefined;
  if (tableSectors === 0 || sectors < dataSector || !/^[\xeb\xe9]/.test(boot.toString('latin1', 0, 1)))
    return undefined;
  const clusters = Math.floor((sectors - dataSector) / perCluster);
  const bits = clusters < FAT12_CLUSTERS ? 12 : clusters < FAT16_CLUSTERS ? 16 : 32;
  const layout: Layout = {
    ...{ read, bits, clusters, clusterBytes: perCluster * sector },
    ...{ table: reserved * sector, data: dataSector * sector },
  };
  const rootBytes =
    bits === 32
      ? () => chain(layout, boot.readUInt32LE(44), MAX_DIRECTORY_BYTES)
      : () => readExactly(read, (dataSector - rootSectors) * sector, rootEntries * 32);
  return { type: 'vfat', labels: await labels(boot, bits, rootBytes), root: directory(layout, rootBytes) };
}

/** The label stands in the boot sector and, where it was changed later, in the root directory only. */
async function labels(boot: Buffer, bits: Layout['bits'], root: () => Promise<Buffer>): Promise<string[]> {
  const at = bits === 32 ? 71 : 43;
  const inBoot = boot.toString('latin1', at, at + 11).trimEnd();
  const entries = await root();
  for (let place = 0; place + 32 <= entries.length && entries[place] !== 0; place += 32)
    if (entries[place] !== 0xe5 && ((entries[place + 11] ?? 0) & 0x3f) === IS_LABEL)
      return [inBoot, entries.toString('latin1', place, place + 11).trimEnd()];
  return [inBoot];
}

function directory(layout: Layout, bytes: () => Promise<Buffer>): Entry {
  return {
    async children() {
      const found = new Map<string, Entry>();
      for (const { name, entry } of fatNames(await bytes())) {
        const attributes = entry[11] ?? 0;
        if (attributes & IS_LABEL || name === '.' || name === '..') continue;
        const high = layout.bits === 32 ? entry.readUInt16LE(20) * 0x10000 : 0;
        const first = high + entry.readUInt16LE(26);
        const child = () => chain(layout, first, MAX_DIRECTORY_BYTES);
        found.set(
          name,
          attributes & IS_DIRECTORY ? directory(layout, child) : file(layout, first, entry.readUInt32LE(28)),
        );
      }
      return found;
    },
  };
}

function file(layout: Layout, first: number, bytes: number): Entry {
  return {
    async content() {
      checkSize(bytes);
      if (bytes === 0) return Buffer.alloc(0);
      const content = await chain(layout, first, bytes);
      if (content.length < bytes) throw damaged('a file ends before its size');
      return content.subarray(0, bytes);
    },
  };
}

/** The clusters of a chain, up to `atMost` bytes or its end. A chain that comes back to itself ends with the bound. */
async function chain(layout: Layout, first: number, atMost: number): Promise<Buffer> {
  const { read, clusterBytes, clusters, data } = layout;
  const parts: Buffer[] = [];
  let cluster = first;
  for (let size = 0; size < atMost; size += clusterBytes) {
    if (cluster < 2 || cluster >= clusters + 2) {
      if (parts.length > 0 && isEnd(layout, cluster)) break;
      throw damaged('a cluster chain leaves the volume');
    }
    parts.push(await readExactly(read, data + (cluster - 2) * clusterBytes, clusterBytes));
    cluster = await next(layout, cluster);
  }
  return Buffer.concat(parts);
}

function isEnd({ bits }: Layout, cluster: number): boolean {
  return cluster >= (bits === 12 ? 0xff8 : bits === 16 ? 0xfff8 : 0xffffff8);
}

async function next({ read, table, bits }: Layout, cluster: number): Promise<number> {
  if (bits === 32) return (await readExactly(read, table + cluster * 4, 4)).readUInt32LE(0) & 0xfffffff;
  if (bits === 16) return (await readExactly(read, table + cluster * 2, 2)).readUInt16LE(0);
  // Two entries share three bytes.
  const pair = (await readExactly(read, table + cluster + (cluster >> 1), 2)).readUInt16LE(0);
  return cluster % 2 === 0 ? pair & 0xfff : pair >> 4;
}

const LONG = 0x0f;
const DELETED = 0xe5;
/** Where a long entry's thirteen characters stand. */
const CHARACTERS = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];
const LOWER_BASE = 0x08;
const LOWER_EXTENSION = 0x10;

/** The entries of a directory with their names: long ones if there are any that belong to the short one behind them. */
function fatNames(bytes: Buffer): { name: string; entry: Buffer }[] {
  const found: { name: string; entry: Buffer }[] = [];
  let long: { text: string; checksum: number; left: number } | undefined;
  for (let at = 0; at + 32 <= bytes.length && bytes[at] !== 0; at += 32) {
    const entry = bytes.subarray(at, at + 32);
    if (entry[0] === DELETED) {
      long = undefined;
    } else if (((entry[11] ?? 0) & 0x3f) === LONG) {
      long = withPiece(long, entry);
    } else {
      const isOurs = long !== undefined && long.left === 0 && long.checksum === checksum(entry);
      found.push({ name: isOurs && long ? long.text : shortName(entry), entry });
      long = undefined;
      if (found.length > MAX_ENTRIES) throw damaged('a directory with too many entries');
    }
  }
  return found;
}

/** Pieces come from the last to the first; the last one is marked with 0x40. */
function withPiece(
  before: { text: string; checksum: number; left: number } | undefined,
  entry: Buffer,
): { text: string; checksum: number; left: number } | undefined {
  const order = entry[0] ?? 0;
  const sum = entry[13] ?? 0;
  const text = piece(entry);
  if (order & 0x40) return { text, checksum: sum, left: (order & 0x1f) - 1 };
  if (before === undefined || before.left !== order || before.checksum !== sum) return undefined;
  return { text: text + before.text, checksum: sum, left: order - 1 };
}

function piece(entry: Buffer): string {
  const units = CHARACTERS.map((at) => entry.readUInt16LE(at));
  const end = units.indexOf(0);
  return String.fromCharCode(...(end === -1 ? units : units.slice(0, end)));
}

function checksum(entry: Buffer): number {
  let sum = 0;
  for (const byte of entry.subarray(0, 11)) sum = (((sum & 1) << 7) + (sum >> 1) + byte) & 0xff;
  return sum;
}

function shortName(entry: Buffer): string {
  const flags = entry[12] ?? 0;
  const part = (from: number, to: number, lower: number) => {
    const text = entry.toString('latin1', from, to).trimEnd();
    return flags & lower ? text.toLowerCase() : text;
  };
  const extension = part(8, 11, LOWER_EXTENSION);
  return `${part(0, 8, LOWER_BASE)}${extension === '' ? '' : `.${extension}`}`;
}
