import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Resource } from '../schema/spec3.ts';
import { dataOf } from '../url/data-url.ts';
import { parseGoUrl } from '../url/go-url.ts';

/** Turns resources into bytes; together they may not have more than user data may have. */
export class Contents {
  readonly #say: Remarks;
  #left = MAX_DECODED_BYTES;

  constructor(say: Remarks) {
    this.#say = say;
  }

  /** The bytes of a resource that holds them itself; nothing at all for one without a source. */
  bytesOf(resource: Resource): Buffer | undefined {
    const { source = '', compression, verification } = resource;
    if (source !== '' && parseGoUrl(source)?.scheme !== 'data') return undefined;
    const data = source === '' ? Buffer.alloc(0) : (dataOf(source) ?? Buffer.alloc(0));
    const bytes = compression === 'gzip' && source !== '' ? this.#unzipped(data, resource) : data;
    if (bytes === undefined) return Buffer.alloc(0);
    this.#left -= bytes.length;
    if (this.#left < 0)
      this.#say.error(resource, ['source'], `makes more than ${MAX_DECODED_BYTES} bytes with the others`);
    if (verification?.hash !== undefined && !hasHash(bytes, verification.hash))
      this.#say.error(resource, ['verification', 'hash'], 'is not the hash of the content');
    return bytes;
  }

  #unzipped(data: Buffer, resource: Resource): Buffer | undefined {
    try {
      return gunzipSync(data, { maxOutputLength: Math.max(this.#left, 1) });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const problem = code === 'ERR_BUFFER_TOO_LARGE' ? 'is too large when decompressed' : 'is not gzip';
      this.#say.error(resource, ['source'], problem);
      return undefined;
    }
  }
}

/** Compares the bytes with `FUNCTION-SUM`. */
export function hasHash(bytes: Uint8Array, hash: string): boolean {
  const [name = '', sum = ''] = hash.split('-', 2);
  return createHash(name).update(bytes).digest('hex') === sum.toLowerCase();
}
