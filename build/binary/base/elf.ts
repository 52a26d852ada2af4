/** Where the fields lie that are read here: ELF-64, System V ABI, chapters 4 and 5. */
export const HEADER = { entry: 0x18, sectionsAt: 0x28, sectionCount: 0x3c, namesIndex: 0x3e };
export const SECTION = {
  bytes: 64,
  name: 0x00,
  type: 0x04,
  flags: 0x08,
  address: 0x10,
  offset: 0x18,
  size: 0x20,
};
const NO_BITS = 8;
const ALLOCATED = 2n;

export interface Section {
  /** Its entry in the table of sections. */
  readonly header: Buffer;
  readonly name: string;
  readonly type: number;
  /** Where it lies in memory; 0 where it is not loaded. */
  readonly address: number;
  /** Where it lies in the file, and where it ends there. */
  readonly offset: number;
  readonly end: number;
  readonly loaded: boolean;
}

/** @throws Error where the file is no 64-bit little-endian ELF */
export function sectionsOf(content: Buffer): Section[] {
  if (content.subarray(0, 6).toString('latin1') !== '\x7fELF\x02\x01')
    throw new Error('not a 64-bit little-endian ELF file');
  const at = Number(content.readBigUInt64LE(HEADER.sectionsAt));
  const count = content.readUInt16LE(HEADER.sectionCount);
  const names = at + content.readUInt16LE(HEADER.namesIndex) * SECTION.bytes + SECTION.offset;
  const namesAt = Number(content.readBigUInt64LE(names));
  return Array.from({ length: count }, (_, index) => {
    const header = content.subarray(at + index * SECTION.bytes, at + (index + 1) * SECTION.bytes);
    const type = header.readUInt32LE(SECTION.type);
    const offset = Number(header.readBigUInt64LE(SECTION.offset));
    return {
      header,
      name: textAt(content, namesAt + header.readUInt32LE(SECTION.name)),
      type,
      address: Number(header.readBigUInt64LE(SECTION.address)),
      offset,
      end: offset + (type === NO_BITS ? 0 : Number(header.readBigUInt64LE(SECTION.size))),
      loaded: (header.readBigUInt64LE(SECTION.flags) & ALLOCATED) !== 0n,
    };
  });
}

/** A text that ends with a NUL. */
export function textAt(content: Buffer, at: number): string {
  return content.toString('latin1', at, content.indexOf(0, at));
}
