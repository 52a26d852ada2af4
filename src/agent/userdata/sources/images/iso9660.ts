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

/** ECMA-119: descriptors begin at sector 16. */
const FIRST_DESCRIPTOR = 16;
const MAX_DESCRIPTORS = 32;
const PRIMARY = 1;
const SUPPLEMENTARY = 2;
const LAST = 255;
/** Escape sequences of Joliet's three levels. */
const JOLIET = ['%/@', '%/C', '%/E'];

/** How a directory's names are written. */
type Names = 'plain' | 'joliet';

/** @returns undefined if it is no ISO 9660 image */
export async function openIso9660(read: ReadAt): Promise<Volume | undefined> {
  let primary: Buffer | undefined;
  let joliet: Buffer | undefined;
  for (let index = 0; index < MAX_DESCRIPTORS; index += 1) {
    const descriptor = await read((FIRST_DESCRIPTOR + index) * SECTOR, SECTOR);
    if (descriptor.length < SECTOR || descriptor.toString('latin1', 1, 6) !== 'CD001') break;
    const type = descriptor[0];
    if (type === LAST) break;
    if (type === PRIMARY) primary ??= descriptor;
    if (type === SUPPLEMENTARY && JOLIET.includes(descriptor.toString('latin1', 88, 91)))
      joliet ??= descriptor;
  }
  if (primary === undefined) return undefined;
  const rock = await rockRidge(read, recordAt(primary, 156));
  const [descriptor, names] =
    rock === undefined && joliet ? [joliet, 'joliet' as const] : [primary, 'plain' as const];
  const labels = [
    primary.toString('latin1', 40, 72).trimEnd(),
    ...(joliet ? [ucs2(joliet.subarray(40, 72)).trimEnd()] : []),
  ];
  return { type: 'iso9660', labels, root: directory(read, recordAt(descriptor, 156), names, rock) };
}

const IS_DIRECTORY = 2;
const CONTINUES = 0x80;

type RockNames = (record: IsoRecord) => Promise<string | undefined>;

function directory(
  read: ReadAt,
  { start, bytes }: IsoRecord,
  names: Names,
  rock: RockNames | undefined,
): Entry {
  return {
    async children() {
      if (bytes > MAX_DIRECTORY_BYTES) throw damaged('a directory of more than 1 MiB');
      const records = await readExactly(read, start, bytes);
      const found = new Map<string, Entry>();
      for (let at = 0; at < records.length; ) {
        // Records do not cross sectors; the rest of one is zero.
        if ((records[at] ?? 0) === 0) {
          at = (Math.floor(at / SECTOR) + 1) * SECTOR;
          continue;
        }
        const record = recordAt(records, at);
        at += records[at] ?? SECTOR;
        if (record.name.length === 1 && (record.name[0] ?? 0) < 2) continue;
        const name = (await rock?.(record)) ?? nameOf(record, names);
        found.set(
          name,
          record.flags & IS_DIRECTORY ? directory(read, record, names, rock) : file(read, record),
        );
        if (found.size > MAX_ENTRIES) throw damaged('a directory with too many entries');
      }
      return found;
    },
  };
}

function file(read: ReadAt, { start, bytes, flags }: IsoRecord): Entry {
  return {
    async content() {
      if (flags & CONTINUES) throw damaged('a file in several extents');
      checkSize(bytes);
      return readExactly(read, start, bytes);
    },
  };
}

/** Without Rock Ridge and Joliet the kernel shows names in lower case, without the version and a dot at the end. */
function nameOf({ name }: IsoRecord, names: Names): string {
  const text = names === 'joliet' ? ucs2(name) : name.toString('latin1').toLowerCase();
  return text.replace(/;\d+$/, '').replace(/\.$/, '');
}

function ucs2(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le');
}

/** Continuations of one record's fields. */
const MAX_CONTINUATIONS = 8;
const NAME_CONTINUES = 1;

/**
 * The names of Rock Ridge (SUSP 1.12, RRIP 1.12: SP in the root's record for itself, NM for a name, CE for what goes on elsewhere).
 *
 * @returns undefined if the image has none
 */
async function rockRidge(
  read: ReadAt,
  root: IsoRecord,
): Promise<((record: IsoRecord) => Promise<string | undefined>) | undefined> {
  // The root's record in the descriptor has no room for fields; its own directory begins with one that has.
  const own = await read(root.start, SECTOR);
  const fields = own.subarray(34, own[0] ?? 0);
  if (fields.toString('latin1', 0, 2) !== 'SP' || fields[4] !== 0xbe || fields[5] !== 0xef) return undefined;
  const skip = fields[6] ?? 0;
  return (record) => nameIn(read, record.system.subarray(skip));
}

async function nameIn(read: ReadAt, first: Buffer): Promise<string | undefined> {
  let fields = first;
  let name: string | undefined;
  for (let count = 0; count <= MAX_CONTINUATIONS; count += 1) {
    let next: Buffer | undefined;
    for (let at = 0; at + 4 <= fields.length; ) {
      const length = fields[at + 2] ?? 0;
      if (length < 4 || at + length > fields.length) break;
      const field = fields.subarray(at, at + length);
      const signature = field.toString('latin1', 0, 2);
      // Flags above 1 stand for "." and "..", which have names of their own.
      if (signature === 'NM' && ((field[4] ?? 0) & ~NAME_CONTINUES) === 0)
        name = (name ?? '') + field.toString('utf8', 5);
      if (signature === 'CE' && length >= 28) next = await continued(read, field);
      at += length;
    }
    if (next === undefined) return name;
    fields = next;
  }
  return name;
}

function continued(read: ReadAt, field: Buffer): Promise<Buffer> {
  const offset = field.readUInt32LE(4) * SECTOR + field.readUInt32LE(12);
  return readExactly(read, offset, Math.min(field.readUInt32LE(20), SECTOR));
}

/** Extents are counted in sectors of this size. */
const SECTOR = 2048;

/** A directory record of ECMA-119, 9.1. */
interface IsoRecord {
  start: number;
  bytes: number;
  flags: number;
  name: Buffer;
  /** What stands behind the name: Rock Ridge's fields. */
  system: Buffer;
}

/** @throws HostError EIO */
function recordAt(bytes: Buffer, at: number): IsoRecord {
  const length = bytes[at] ?? 0;
  const nameLength = bytes[at + 32] ?? 0;
  // The name is padded to an even length.
  const system = 33 + nameLength + (nameLength % 2 === 0 ? 1 : 0);
  if (length < 34 || at + length > bytes.length || 33 + nameLength > length)
    throw damaged('a directory record');
  return {
    start: (bytes.readUInt32LE(at + 2) + (bytes[at + 1] ?? 0)) * SECTOR,
    bytes: bytes.readUInt32LE(at + 10),
    flags: bytes[at + 25] ?? 0,
    name: bytes.subarray(at + 33, at + 33 + nameLength),
    system: bytes.subarray(Math.min(at + system, at + length), at + length),
  };
}
