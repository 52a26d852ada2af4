/** No firmware's table is larger; version 2 of the standard has 16 bits for its length. */
export const MAX_SMBIOS_BYTES = 1024 * 1024;

/** Memory Device of the SMBIOS specification, section 7.18. */
const MEMORY_DEVICE = 17;
const END_OF_TABLE = 127;
/** Most structures of a table that makes sense. */
const MOST_STRUCTURES = 10_000;
/** Kinds of section 7.18.2 that programs do not run in: of the display, read-only, flash, and disks in memory's place. */
const OTHER_KINDS = new Set([0x05, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x1f]);

/** The sizes of the memory modules that are there, in bytes. What is cut off or senseless ends the reading. */
export function memoryDevices(table: Buffer): number[] {
  const sizes: number[] = [];
  let at = 0;
  for (let count = 0; count < MOST_STRUCTURES && at + 4 <= table.length; count += 1) {
    const type = table.readUInt8(at);
    const length = table.readUInt8(at + 1);
    if (length < 4 || type === END_OF_TABLE || at + length > table.length) break;
    if (type === MEMORY_DEVICE) sizes.push(sizeOf(table.subarray(at, at + length)));
    // Behind its fields a structure has texts, each ended by a zero, and all of them by another one.
    const end = table.indexOf('\0\0', at + length, 'latin1');
    if (end < 0) break;
    at = end + 2;
  }
  return sizes.filter((size) => size > 0);
}

function sizeOf(structure: Buffer): number {
  if (structure.length < 0x0e) return 0;
  const kind = structure.length > 0x12 ? structure.readUInt8(0x12) : 0;
  const size = structure.readUInt16LE(0x0c);
  if (size === 0 || size === 0xffff || OTHER_KINDS.has(kind)) return 0;
  // 32 GiB less a mebibyte and more stand in a field of their own, in mebibytes.
  if (size === 0x7fff)
    return structure.length >= 0x20 ? (structure.readUInt32LE(0x1c) & 0x7fff_ffff) * 2 ** 20 : 0;
  return (size & 0x8000) === 0 ? size * 2 ** 20 : (size & 0x7fff) * 2 ** 10;
}
