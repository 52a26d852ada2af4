/**
 * Reads a log of any size in bounded memory: its end as it is, and of what comes before that the lines that look like
 * kubeadm's with what stands around them.
 */
import type { LogLine } from './line.ts';
import { readLines } from './read-lines.ts';

const KEPT_BYTES = 8 * 1024 * 1024;
const KEPT_BEFORE_BYTES = 4 * 1024 * 1024;
/** A line that is longer is cut. */
const MAX_LINE_BYTES = 1024 * 1024;
/** So many lines around one of kubeadm's are kept. */
const AROUND_BEFORE = 8;
const AROUND_AFTER = 60;
const KUBEADM =
  /\[preflight\]|\[init\]|\[kubelet-(?:start|check)\]|\[wait-control-plane\]|\[upgrade|\[reset\]|error execution phase|\[ERROR |--v=5 or higher|initialized successfully|has joined the cluster|kubeadm["',]* *["']?(?:init|join|upgrade)/;
const NEW_LINE = 10;

/** What was read of a file. */
export interface LogExtent {
  file: string;
  bytes: number;
  lines: number;
  /** False where of its beginning only kubeadm's lines and those around them were kept. */
  whole: boolean;
}

interface Part {
  firstLine: number;
  lines: string[];
  bytes: number;
}

export class LogWindow {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  /** Bytes in the chunks that are held. */
  #size = 0;
  #bytes = 0;
  /** Lines that are no longer held whole. */
  #passed = 0;
  /** The beginning of the first line that is held. */
  #carry: Buffer = Buffer.alloc(0);
  #parts: Part[] = [];
  #partBytes = 0;
  #before: string[] = [];
  #after = 0;

  constructor(limit = KEPT_BYTES) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first && this.#size - first.length >= this.#limit;
      first = this.#chunks[0]
    ) {
      this.#pass(first);
      this.#size -= first.length;
      this.#chunks.shift();
    }
  }

  /** The lines that are held; invalid UTF-8 becomes replacement characters. */
  read(file: string): { lines: LogLine[]; extent: LogExtent } {
    const end = Buffer.concat([this.#carry, ...this.#chunks]).toString('utf8');
    const before = this.#parts.flatMap(({ lines, firstLine }) =>
      readLines(file, lines.join('\n'), firstLine),
    );
    const lines = before.concat(readLines(file, end, this.#passed + 1));
    const count = this.#passed + end.split('\n').length - (end.endsWith('\n') || end === '' ? 1 : 0);
    return { lines, extent: { file, bytes: this.#bytes, lines: count, whole: this.#passed === 0 } };
  }

  #pass(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#carry, chunk]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    this.#carry = bytes.subarray(end, end + MAX_LINE_BYTES);
    if (end === 0) return;
    const lines = bytes
      .subarray(0, end - 1)
      .toString('utf8')
      .split('\n');
    for (const line of lines) this.#look(line.slice(0, MAX_LINE_BYTES));
  }

  #look(line: string): void {
    this.#passed += 1;
    const isOwn = KUBEADM.test(line);
    if (!isOwn && this.#after === 0) {
      this.#before.push(line);
      if (this.#before.length > AROUND_BEFORE) this.#before.shift();
      return;
    }
    this.#keep([...this.#before, line]);
    this.#before = [];
    this.#after = isOwn ? AROUND_AFTER : this.#after - 1;
  }

  #keep(lines: readonly string[]): void {
    const firstLine = this.#passed - lines.length + 1;
    const bytes = lines.reduce((sum, { length }) => sum + length + 1, 0);
    const last = this.#parts.at(-1);
    // A part is dropped whole: none may become the whole of what is kept.
    if (last && last.firstLine + last.lines.length === firstLine && last.bytes < KEPT_BEFORE_BYTES / 16) {
      last.lines.push(...lines);
      last.bytes += bytes;
    } else this.#parts.push({ firstLine, lines: [...lines], bytes });
    this.#partBytes += bytes;
    // The newest tell most.
    for (let [first] = this.#parts; first && this.#partBytes > KEPT_BEFORE_BYTES; [first] = this.#parts) {
      this.#partBytes -= first.bytes;
      this.#parts.shift();
    }
  }
}
