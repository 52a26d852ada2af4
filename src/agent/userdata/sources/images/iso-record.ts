import { damaged } from './volume.ts';

/** Extents are counted in sectors of this size. */
export const SECTOR = 2048;

/** A directory record of ECMA-119, 9.1. */
export interface IsoRecord {
  start: number;
  bytes: number;
  flags: number;
  name: Buffer;
  /** What stands behind the name: Rock Ridge's fields. */
  system: Buffer;
}

/** @throws HostError EIO */
export function recordAt(bytes: Buffer, at: number): IsoRecord {
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
