import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refused } from '../attest/refused.ts';

const unzip = promisify(gunzip);
/** Bytes of all bodies that are being received or decompressed. */
const MAX_IN_FLIGHT = 64 * 1024 * 1024;

let inFlight = 0;

/**
 * Reads a request's body and decompresses it; both forms have at most `maxBytes`. It does not read a body
 * that is announced as larger.
 *
 * @throws Refused `too-large`, `bad-request`; `unavailable` while there are too many bodies
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw new Refused('too-large', `a body of ${announced} bytes was announced`);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'gzip' && encoding !== 'identity') {
    throw new Refused('bad-request', 'the body has an unknown content encoding');
  }
  // An unannounced size may be anything up to the limit.
  const reserved = encoding === undefined && announced > 0 ? announced : maxBytes;
  if (inFlight + reserved > MAX_IN_FLIGHT) {
    throw new Refused('unavailable', 'too many bodies are under way', { retryAfterMs: 1_000 });
  }
  inFlight += reserved;
  try {
    const packed = await receive(request, maxBytes);
    return encoding === 'gzip' ? await unpack(packed, maxBytes) : packed;
  } finally {
    inFlight -= reserved;
  }
}

/** Uses events, because leaving an iterator early destroys the request and with it the way for the answer. */
function receive(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const cutOff = (): void => reject(new Refused('bad-request', 'the body was cut off'));
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        request.off('data', take);
        reject(new Refused('too-large', `the body has more than ${maxBytes} bytes`));
      }
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', cutOff);
    request.once('close', cutOff);
  });
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
