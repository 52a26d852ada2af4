import type { ReadAt } from './volume.ts';

/** Where blocks of a partition lie. */
export interface UdfPartition {
  read: ReadAt;
  block: number;
  /** Offset in bytes of the partition with this number in the volume's map. */
  startOf(reference: number): number;
}

/** Does a descriptor with this tag stand here, and does its checksum say so? */
export function isTagged(bytes: Buffer, tag: number, location?: number): boolean {
  if (bytes.length < 32 || bytes.readUInt16LE(0) !== tag) return false;
  let sum = 0;
  for (let at = 0; at < 16; at += 1) if (at !== 4) sum = (sum + (bytes[at] ?? 0)) & 0xff;
  return sum === bytes[4] && (location === undefined || bytes.readUInt32LE(12) === location);
}

/** OSTA's compressed unicode: 8 or 16 bits a character, as its first byte says. */
export function udfText(bytes: Buffer): string {
  if (bytes[0] === 8) return bytes.toString('latin1', 1);
  if (bytes[0] !== 16) return '';
  return Buffer.from(bytes.subarray(1, 1 + ((bytes.length - 1) & ~1)))
    .swap16()
    .toString('utf16le');
}
