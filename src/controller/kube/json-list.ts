import { ByteCollector } from '../../kit/bytes/byte-collector.ts';
import type { ListOf } from './objects.ts';

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...Buffer.from('"\\{}[]')];
/** Upper bound of all that is no item, which is a few hundred: an API server that was taken over may send it without end. */
const MAX_OUTSIDE_BYTES = 1024 * 1024;

/**
 * Reads a list of the API server item by item. A list of 10,000 NodeBootstraps has 140 MB, but only one
 * object is in memory at a time.
 *
 * @param mostBytes in one item
 * @param found called for each item, in order
 * @returns the list's metadata, which may come before or after the items
 * @throws Error if the answer is not JSON or ends too early
 */
export async function readJsonList<T>(
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
  found: (item: T) => void,
): Promise<ListOf<T>['metadata']> {
  const split = new Splitter(mostBytes, (text) => found(JSON.parse(text) as T));
  for await (const piece of stream) split.take(piece);
  const { metadata } = JSON.parse(split.rest) as Partial<ListOf<T>>;
  if (!metadata) throw new Error('the answer is no list');
  return metadata;
}

/** Takes the items out of a list: the objects in an array that is a direct member of the outermost object. */
class Splitter {
  readonly #mostBytes: number;
  readonly #found: (text: string) => void;
  /** Everything outside of items. */
  readonly #outside = new ByteCollector();
  readonly #item = new ByteCollector();
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isInItems = false;

  constructor(mostBytes: number, found: (text: string) => void) {
    this.#mostBytes = mostBytes;
    this.#found = found;
  }

  get rest(): string {
    return this.#outside.all.toString('utf8');
  }

  take(piece: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#isText) this.#skip(byte);
      else if (byte === QUOTE) this.#isText = true;
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (this.#isInItems && this.#depth === 2) {
          // Drops the comma before it, too.
          from = at;
        } else if (byte === OPEN_LIST && this.#depth === 1) {
          this.#isInItems = true;
          this.#leave(piece.subarray(from, at + 1));
          from = at + 1;
        }
        this.#depth += 1;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        this.#depth -= 1;
        if (this.#isInItems && this.#depth === 2) {
          this.#keep(piece.subarray(from, at + 1));
          this.#end();
          from = at + 1;
        } else if (this.#isInItems && this.#depth === 1) {
          this.#isInItems = false;
          from = at;
        }
      }
    }
    const left = piece.subarray(from);
    if (!this.#isInItems) this.#leave(left);
    else if (this.#depth > 2) this.#keep(left);
  }

  #skip(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  #leave(bytes: Uint8Array): void {
    if (this.#outside.size + bytes.length > MAX_OUTSIDE_BYTES)
      throw new Error(`the list has more than ${MAX_OUTSIDE_BYTES} bytes beside its items`);
    this.#outside.add(Buffer.from(bytes));
  }

  #keep(bytes: Uint8Array): void {
    if (this.#item.size + bytes.length > this.#mostBytes)
      throw new Error(`an item of the list has more than ${this.#mostBytes} bytes`);
    this.#item.add(Buffer.from(bytes));
  }

  #end(): void {
    this.#found(this.#item.take().toString('utf8'));
  }
}
