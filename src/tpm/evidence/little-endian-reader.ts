import { ByteReader } from '../wire/reader.ts';

/** Reads values as firmware writes its log: little-endian, though the TPM itself is big-endian. */
export class LittleEndianReader extends ByteReader {
  u16(): number {
    return this.take(2).readUInt16LE();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64LE();
  }
}
