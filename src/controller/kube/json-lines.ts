import { ByteCollector } from '../../kit/bytes/byte-collector.ts';

/**
 * The values of a stream of JSON lines, however it is cut into pieces.
 *
 * @param mostBytes in a line; a longer one is no watch
 * @param heard called for each piece, whether it is a whole line or not
 * @throws Error if a line is not JSON or never ends
 */
export async function* jsonLines<T>(
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
  heard: () => void,
): AsyncGenerator<T> {
  const rest = new ByteCollector();
  for await (const piece of stream) {
    heard();
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      const last = Buffer.from(piece.buffer, piece.byteOffset + from, end - from);
      if (rest.size > 0) rest.add(last);
      const line = rest.size > 0 ? rest.take() : last;
      from = end + 1;
      if (line.length > 0) yield JSON.parse(line.toString('utf8')) as T;
    }
    if (from < piece.length) {
      rest.add(Buffer.from(piece.subarray(from)));
      if (rest.size > mostBytes) throw new Error(`a line of the watch has more than ${mostBytes} bytes`);
    }
  }
}
