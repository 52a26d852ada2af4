import { MalformedError } from '../wire/reader.ts';

/** Firmware writes its log little-endian, though the TPM itself is big-endian. Never reads beyond the end. */
export class LittleEndianReader {
  readonly #bytes: Buffer;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u16(): number {
    return this.take(2).readUInt16LE();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64LE();
  }

  take(length: number): Buffer {
    if (length > this.left)
      throw new MalformedError(`${this.#what} is cut off after ${this.#bytes.length} bytes`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
