import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

const { O_WRONLY, O_NONBLOCK } = constants;
/** /dev/null on Linux. */
const NOTHING = 0x103;

/** What takes what is written; a write to what is slow may wait for a reader. */
type Target = { readonly fd: number; readonly isSlow: boolean } | 'stream';

/**
 * Standard output or error without Node.js's streams, which take longer to load than the files of a bootstrap to write. It never
 * waits for a reader. A terminal has its stream, and so has what goes wrong: that says it as Node.js does.
 */
class StandardOutput {
  readonly #number: 1 | 2;
  #known: Target | undefined;
  /** What no thread has yet. */
  #queue: Buffer[] = [];
  /** Of all. */
  #waitingBytes = 0;
  #isUnderWay = false;

  constructor(number: 1 | 2) {
    this.#number = number;
  }

  get isTTY(): boolean {
    return this.#target === 'stream' && this.#stream.isTTY;
  }

  /** Bytes that its reader has not taken yet. */
  get writableLength(): number {
    return this.#target === 'stream' ? this.#stream.writableLength : this.#waitingBytes;
  }

  write(text: string): void {
    const target = this.#target;
    if (target === 'stream') {
      this.#stream.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    if (target.isSlow) {
      this.#queue.push(bytes);
      this.#waitingBytes += bytes.length;
      this.#drain(target.fd);
    } else this.#writeNow(target.fd, bytes);
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

  /** One thread waits for the reader, and has all that has come until then. */
  #drain(fd: number): void {
    if (this.#isUnderWay || this.#queue.length === 0) return;
    this.#isUnderWay = true;
    const bytes = Buffer.concat(this.#queue.splice(0));
    write(fd, bytes, (error, written) => {
      this.#isUnderWay = false;
      this.#waitingBytes -= written;
      if (written < bytes.length) this.#queue.unshift(bytes.subarray(written));
      if (error) this.#leaveToStream(Buffer.concat(this.#queue.splice(0)));
      else this.#drain(fd);
    });
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
    if (stat.isSocket()) return { fd: number, isSlow: true };
    if (stat.isFile() || (stat.isCharacterDevice() && stat.rdev === NOTHING))
      return { fd: number, isSlow: false };
    // Opened anew, for others may have it open so that they wait.
    if (stat.isFIFO())
      return { fd: openSync(`/proc/self/fd/${number}`, O_WRONLY | O_NONBLOCK), isSlow: false };
  } catch {
    // There is no /proc, or the pipe is another user's.
  }
  return 'stream';
}

export const standard = { stdout: new StandardOutput(1), stderr: new StandardOutput(2) };
