/** Cuts a stream of bytes into lines. Lines above 64 KiB come in pieces, so that memory stays bounded. */
export class LineSplitter {
  #pending = '';
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    const lines = (this.#pending + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#pending = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#pending.length > 65_536) {
      this.#onLine(this.#pending.slice(0, 65_536));
      this.#pending = this.#pending.slice(65_536);
    }
  }

  /** Delivers a last line that has no line end. */
  end(): void {
    if (this.#pending !== '') this.#onLine(this.#pending);
    this.#pending = '';
  }
}

/** Keeps the last `limit` bytes of a stream. */
export class TailBuffer {
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= this.#limit)
      this.#size -= this.#chunks.shift()?.length ?? 0;
  }

  toString(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#limit).toString('utf8');
  }
}
