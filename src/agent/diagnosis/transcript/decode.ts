/** From the bytes of a log to UTF-8: undoes gzip, and the UTF-16 in which Windows saves what was copied. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** More is not unpacked: a few kilobytes may hold any size. */
const MAX_BYTES = 4 * 1024 * 1024 * 1024;

/** What is damaged or cut off ends the log where the damage begins. */
export async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of asUtf8(unpacked(chunks))) {
    length += chunk.length;
    yield chunk;
    if (length > MAX_BYTES) return;
  }
}

async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { first, all } = await peeked(chunks);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  const source = Readable.from(all);
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/** zlib's own errors, not those of reading the file. */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

async function* asUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { first, all } = await peeked(chunks);
  const mark = first.subarray(0, 2).toString('hex');
  if (mark !== 'fffe' && mark !== 'feff') {
    yield* all;
    return;
  }
  const decoder = new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be');
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The first bytes, two at least where there are so many, and all chunks from the start. */
async function peeked(chunks: AsyncIterable<Buffer>): Promise<{ first: Buffer; all: AsyncIterable<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 2) {
    const next = await rest.next();
    if (next.done) break;
    first = Buffer.concat([first, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  return { first, all: all() };
}
