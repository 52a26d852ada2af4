import { dataOf } from '../../../../kit/bytes/data-url.ts';
import { gunzip } from '../../../../kit/bytes/gunzip.ts';
import { hasHash } from '../../../../kit/digest.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Resource } from '../schema/spec3.ts';
import { parseGoUrl } from '../url/urls.ts';

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
      this.#say.error(resource, ['source'], `brings the total to more than ${MAX_DECODED_BYTES} bytes`);
    if (verification?.hash !== undefined && !hasHash(bytes, verification.hash))
      this.#say.error(resource, ['verification', 'hash'], 'does not match the content');
    return bytes;
  }

  #unzipped(data: Buffer, resource: Resource): Buffer | undefined {
    const found = gunzip(data, this.#left);
    if ('bytes' in found) return found.bytes;
    const problem = found.problem === 'too-large' ? 'is too large when decompressed' : 'is not gzip';
    this.#say.error(resource, ['source'], problem);
    return undefined;
  }
}
