import { type IsoRecord, SECTOR } from './iso-record.ts';
import { type ReadAt, readExactly } from './volume.ts';

/** Continuations of one record's fields. */
const MAX_CONTINUATIONS = 8;
const CONTINUES = 1;

/**
 * The names of Rock Ridge (SUSP 1.12, RRIP 1.12: SP in the root's record for itself, NM for a name, CE for what goes on elsewhere).
 *
 * @returns undefined if the image has none
 */
export async function rockRidge(
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
      if (signature === 'NM' && ((field[4] ?? 0) & ~CONTINUES) === 0)
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
