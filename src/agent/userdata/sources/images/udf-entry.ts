import { isTagged, type UdfPartition, udfText } from './udf-format.ts';
import { checkSize, damaged, type Entry, MAX_DIRECTORY_BYTES, MAX_ENTRIES, readExactly } from './volume.ts';

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
export async function udfEntry(place: UdfPartition, block: number, reference: number): Promise<Entry> {
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
  if (kind !== 0 && kind !== 1) throw damaged('a kind of allocation');
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
    if (found.size > MAX_ENTRIES) throw damaged('a directory of too many entries');
    at += (nameAt + nameBytes + 3) & ~3;
  }
  return found;
}
