import { ExpectedError } from '../../kit/errors.ts';

/** The bytes are not what they should be. They may come from a TPM, or from a machine that pretends to have one. */
export class MalformedError extends ExpectedError {
  override readonly name = 'MalformedError';
}

/** Takes bytes one piece after the other, and never beyond the end. */
export class ByteReader {
  protected readonly what: string;
  readonly #bytes: Buffer;
  #at = 0;

  /** @param what names the bytes in errors, such as `the quote` */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.what = what;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** How many bytes have been read. */
  get at(): number {
    return this.#at;
  }

  /** @throws MalformedError if there are not that many */
  take(length: number): Buffer {
    if (length > this.left)
      throw new MalformedError(`${this.what} is cut off after ${this.#bytes.length} bytes`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** @throws MalformedError if anything is left */
  end(): void {
    if (this.left > 0) throw new MalformedError(`${this.what} has ${this.left} bytes too many`);
  }
}

/** Reads values as a TPM sends them: big-endian. */
export class WireReader extends ByteReader {
  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  /** A sized buffer's content. @throws MalformedError if it is longer than `max` */
  sized(max: number): Buffer {
    const length = this.u16();
    if (length > max) throw new MalformedError(`${this.what} has ${length} bytes where ${max} are allowed`);
    return this.take(length);
  }
}
