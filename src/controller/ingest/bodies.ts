import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ByteCollector } from '../../kit/bytes/byte-collector.ts';
import { Refused } from '../attest/refused.ts';

const unzip = promisify(gunzip);

export interface BodyLimits {
  /** Bytes that are arriving, of all peers. What has arrived is not refused for the sake of what has not. */
  readonly arriving: number;
  /** Bytes of one peer, from their arrival to the answer. */
  readonly perPeer: number;
}

interface Arrival {
  readonly peer: string;
  size: number;
  readonly giveUp: (why: Refused) => void;
}

/**
 * Reads bodies of requests, within limits of memory for each peer and for all. Where all of it is taken, the
 * oldest unfinished body of the peer that holds most goes: only bytes that came count, so whoever announces
 * and does not send holds nothing.
 */
export class Bodies {
  readonly #limits: BodyLimits;
  readonly #held = new Map<string, number>();
  /** Unfinished ones, the oldest first. */
  readonly #arrivals = new Set<Arrival>();
  #arriving = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * Reads a request's body and decompresses it; both forms have at most `maxBytes`. It does not read a body
   * that is announced as larger. The bytes count until `use` is done.
   *
   * @param peer whose limit it counts against
   * @throws Refused `too-large`, `bad-request`; `slow-down` where the peer has too many bodies under way;
   * `unavailable` where there are too many of all
   */
  async read<T>(
    request: IncomingMessage,
    { peer, maxBytes }: { peer: string; maxBytes: number },
    use: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > maxBytes) throw new Refused('too-large', `a body of ${announced} bytes was announced`);
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'gzip' && encoding !== 'identity') {
      throw new Refused('bad-request', 'the body has an unknown content encoding');
    }
    const packed = await this.#receive(request, peer, maxBytes);
    let held = packed.length;
    try {
      if (encoding !== 'gzip') return await use(packed);
      // What it unpacks to may be anything up to the limit.
      this.#hold(peer, maxBytes);
      held += maxBytes;
      return await use(await unpack(packed, maxBytes));
    } finally {
      this.#release(peer, held);
    }
  }

  /** Uses events, because leaving an iterator early destroys the request and with it the way for the answer. */
  async #receive(request: IncomingMessage, peer: string, maxBytes: number): Promise<Buffer> {
    const gathered = new ByteCollector();
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const arrival: Arrival = { peer, size: 0, giveUp: reject };
    let isWhole = false;
    const cutOff = (): void => {
      // A request closes when it has ended, too, and to make an error costs as much as to read it.
      if (!isWhole) reject(new Refused('bad-request', 'the body was cut off'));
    };
    const take = (chunk: Buffer): void => {
      if (arrival.size + chunk.length > maxBytes) {
        reject(new Refused('too-large', `the body has more than ${maxBytes} bytes`));
        return;
      }
      try {
        this.#hold(peer, chunk.length);
      } catch (error) {
        reject(error);
        return;
      }
      arrival.size += chunk.length;
      this.#arriving += chunk.length;
      gathered.add(chunk);
      while (this.#arriving > this.#limits.arriving && this.#displace());
    };
    this.#arrivals.add(arrival);
    request.on('data', take);
    request.once('end', () => {
      isWhole = true;
      resolve(gathered.all);
    });
    request.once('error', cutOff);
    request.once('close', cutOff);
    try {
      return await promise;
    } catch (error) {
      this.#release(peer, arrival.size);
      throw error;
    } finally {
      request.off('data', take);
      this.#end(arrival);
    }
  }

  #hold(peer: string, bytes: number): void {
    const held = (this.#held.get(peer) ?? 0) + bytes;
    if (held > this.#limits.perPeer) {
      throw new Refused('slow-down', 'too many bodies of this peer are under way', { retryAfterMs: 1_000 });
    }
    this.#held.set(peer, held);
  }

  #release(peer: string, bytes: number): void {
    const left = (this.#held.get(peer) ?? 0) - bytes;
    if (left > 0) this.#held.set(peer, left);
    else this.#held.delete(peer);
  }

  /** Gives up the oldest unfinished body of the peer with the most bytes. @returns was there one? */
  #displace(): boolean {
    const sizes = new Map<string, number>();
    for (const { peer, size } of this.#arrivals) sizes.set(peer, (sizes.get(peer) ?? 0) + size);
    const [most] = [...sizes].sort(([, a], [, b]) => b - a);
    const oldest = [...this.#arrivals].find(({ peer, size }) => peer === most?.[0] && size > 0);
    if (!oldest) return false;
    this.#end(oldest);
    oldest.giveUp(new Refused('unavailable', 'too many bodies are arriving', { retryAfterMs: 1_000 }));
    return true;
  }

  #end(arrival: Arrival): void {
    if (this.#arrivals.delete(arrival)) this.#arriving -= arrival.size;
  }
}

async function unpack(packed: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await unzip(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new Refused('too-large', `the body unpacks to more than ${maxBytes} bytes`);
    throw new Refused('bad-request', `the body does not unpack: ${message}`);
  }
}
