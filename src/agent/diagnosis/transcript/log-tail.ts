/** Keeps the end of a log of any size, and knows the number of its first line. */

const KEPT_BYTES = 8 * 1024 * 1024;
const NEW_LINE = 10;

export class LogTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #droppedLines = 0;
  #dropped = false;

  constructor(limit = KEPT_BYTES) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (
      let first = this.#chunks[0];
      first && this.#size - first.length >= this.#limit;
      first = this.#chunks[0]
    ) {
      this.#droppedLines += countLines(first);
      this.#size -= first.length;
      this.#dropped = true;
      this.#chunks.shift();
    }
  }

  /** Invalid UTF-8 becomes replacement characters; a line of which only the end was kept is left out. */
  read(): { text: string; firstLine: number } {
    const bytes = Buffer.concat(this.#chunks);
    if (!this.#dropped) return { text: bytes.toString('utf8'), firstLine: 1 };
    const start = bytes.indexOf(NEW_LINE) + 1;
    return { text: bytes.subarray(start).toString('utf8'), firstLine: this.#droppedLines + 2 };
  }
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, at + 1)) count += 1;
  return count;
}
