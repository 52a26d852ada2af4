import { damaged, MAX_ENTRIES } from './volume.ts';

const LONG = 0x0f;
const DELETED = 0xe5;
/** Where a long entry's thirteen characters stand. */
const CHARACTERS = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];
const LOWER_BASE = 0x08;
const LOWER_EXTENSION = 0x10;

/** The entries of a directory with their names: long ones if there are any that belong to the short one behind them. */
export function fatNames(bytes: Buffer): { name: string; entry: Buffer }[] {
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
      if (found.length > MAX_ENTRIES) throw damaged('a directory of too many entries');
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
