/** No object of the API server is larger (etcd accepts 1.5 MiB); a longer line is no watch. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * The values of a stream of JSON lines, however it is cut into pieces.
 *
 * @param heard called for each piece, whether it is a whole line or not
 * @throws Error if a line is not JSON or never ends
 */
export async function* jsonLines<T>(stream: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<T> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    heard();
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      const line = Buffer.concat([...rest, piece.subarray(from, end)]);
      rest = [];
      size = 0;
      from = end + 1;
      if (line.length > 0) yield JSON.parse(line.toString('utf8')) as T;
    }
    if (from < piece.length) {
      rest.push(Buffer.from(piece.subarray(from)));
      size += piece.length - from;
      if (size > MAX_LINE_BYTES) throw new Error(`a line of the watch has more than ${MAX_LINE_BYTES} bytes`);
    }
  }
}
