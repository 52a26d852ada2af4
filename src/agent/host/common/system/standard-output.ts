import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

const { O_WRONLY, O_NONBLOCK } = constants;
/** /dev/null on Linux. */
const NOTHING = 0x103;

/** What takes what is written: a descriptor of which no write waits, or Node.js's own stream. */
type Target = number | 'stream';

/**
 * Standard output or error without Node.js's streams, which take longer to load than the files of a bootstrap to write. It never
 * waits for a reader. A terminal has its stream, and so has what goes wrong: that says it as Node.js does. So has a socket (the
 * journal): a write to it may wait, and a thread that waits would keep a process from ending and take the order from its lines.
 */
class StandardOutput {
  readonly #number: 1 | 2;
  #known: Target | undefined;

  constructor(number: 1 | 2) {
    this.#number = number;
  }

  get isTTY(): boolean {
    return this.#target === 'stream' && this.#stream.isTTY;
  }

  /** Bytes that its reader has not taken yet. */
  get writableLength(): number {
    return this.#target === 'stream' ? this.#stream.writableLength : 0;
  }

  write(text: string): void {
    const target = this.#target;
    if (target === 'stream') {
      this.#stream.write(text);
      return;
    }
    this.#writeNow(target, Buffer.from(text));
  }

  #writeNow(fd: number, bytes: Buffer): void {
    let written = 0;
    try {
      written = writeSync(fd, bytes);
    } catch {
      // The stream meets the same.
    }
    if (written < bytes.length) this.#leaveToStream(bytes.subarray(written));
  }

  #leaveToStream(bytes: Buffer): void {
    this.#known = 'stream';
    this.#stream.write(bytes);
  }

  get #target(): Target {
    this.#known ??= targetOf(this.#number);
    return this.#known;
  }

  get #stream(): Writable & { isTTY: boolean } {
    return this.#number === 1 ? process.stdout : process.stderr;
  }
}

function targetOf(number: 1 | 2): Target {
  if (process.platform !== 'linux') return 'stream';
  try {
    const stat = fstatSync(number);
    if (stat.isFile() || (stat.isCharacterDevice() && stat.rdev === NOTHING)) return number;
    // Opened anew, for others may have it open so that they wait.
    if (stat.isFIFO()) return openSync(`/proc/self/fd/${number}`, O_WRONLY | O_NONBLOCK);
  } catch {
    // There is no /proc, or the pipe is another user's.
  }
  return 'stream';
}

export const standard = { stdout: new StandardOutput(1), stderr: new StandardOutput(2) };
