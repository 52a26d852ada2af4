import { REPORT_DIR, RUN_DIR } from '../../document/paths.ts';
import type { AppendHandle } from '../../host/files.ts';
import { type Host, HostError } from '../../host/host.ts';

/** Survives reboots. */
export const SPOOL = `${REPORT_DIR}/spool.jsonl`;
/** On a file system in memory; takes what the disk refuses. It survives a restart of the reporter, and no reboot. */
export const UNSAVED = `${RUN_DIR}/report/unsaved.jsonl`;

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * The spool's lines on disk. While the disk is full or read-only they go to memory's file system, and move to the disk
 * when it takes them again. Lines never fail to be kept by this process; only what a crash would leave differs.
 */
export class SpoolFile {
  readonly #host: Host;
  #disk: AppendHandle | undefined;
  #length = 0;
  #unsaved: string[] = [];
  #trouble: HostError | undefined;

  private constructor(host: Host) {
    this.#host = host;
  }

  /** @returns the whole lines that were there, those of the disk first. */
  static async open(host: Host): Promise<{ file: SpoolFile; lines: string[] }> {
    const file = new SpoolFile(host);
    const kept = await file.#readDisk();
    const unsaved = (await wholeLines(host, UNSAVED)).lines;
    const missing = unsaved.filter((line) => !kept.includes(line));
    file.#unsaved = missing;
    if (missing.length > 0) await file.save();
    return { file, lines: [...kept, ...missing] };
  }

  /** Why the disk takes nothing at the moment. */
  get trouble(): string | undefined {
    return this.#trouble?.message;
  }

  async append(line: string): Promise<void> {
    this.#unsaved.push(line);
    await this.save();
  }

  /** Tries to write to the disk what is not there yet. */
  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const bytes = `${this.#unsaved.join('\n')}\n`;
    const had = this.#trouble !== undefined;
    try {
      this.#disk ??= await this.#openDisk();
      await this.#appendWhole(this.#disk, bytes);
      this.#length += Buffer.byteLength(bytes);
      this.#unsaved = [];
      this.#trouble = undefined;
      if (had) await this.#host.files.remove(UNSAVED);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.#trouble = error;
      await this.#keepInMemory(bytes);
    }
  }

  /** Replaces all lines: what is not needed any more goes. */
  async rewrite(lines: readonly string[]): Promise<void> {
    const text = lines.map((line) => `${line}\n`).join('');
    try {
      await this.#host.files.write(SPOOL, text, { mode: 0o600 });
    } catch (error) {
      // The old file stays, with more in it than needed.
      if (error instanceof HostError) return;
      throw error;
    }
    await this.#disk?.close();
    this.#disk = undefined;
    this.#length = Buffer.byteLength(text);
    this.#unsaved = [];
    await this.#host.files.remove(UNSAVED);
  }

  async close(): Promise<void> {
    await this.#disk?.close();
    this.#disk = undefined;
  }

  async #readDisk(): Promise<string[]> {
    const { lines, goodLength } = await wholeLines(this.#host, SPOOL);
    this.#length = goodLength;
    return lines;
  }

  async #openDisk(): Promise<AppendHandle> {
    await this.#host.files.mkdir(REPORT_DIR, 0o700);
    const handle = await this.#host.files.openAppend(SPOOL, 0o600);
    // The last line may be torn, or a full disk took only a part of it.
    await handle.truncate(this.#length);
    return handle;
  }

  async #appendWhole(handle: AppendHandle, bytes: string): Promise<void> {
    try {
      await handle.append(bytes);
    } catch (error) {
      await handle.truncate(this.#length);
      throw error;
    }
  }

  async #keepInMemory(bytes: string): Promise<void> {
    try {
      await this.#host.files.write(UNSAVED, bytes, { mode: 0o600 });
    } catch (error) {
      // Then only this process has them; the log tells the disk's reason.
      if (!(error instanceof HostError)) throw error;
    }
  }
}

async function wholeLines(host: Host, path: string): Promise<{ lines: string[]; goodLength: number }> {
  try {
    const bytes = (await host.files.readIfPresent(path, MAX_BYTES)) ?? Buffer.alloc(0);
    const goodLength = bytes.lastIndexOf(0x0a) + 1;
    const lines = bytes.subarray(0, goodLength).toString('utf8').split('\n');
    return { lines: lines.filter((line) => line !== ''), goodLength };
  } catch (error) {
    if (error instanceof HostError) return { lines: [], goodLength: 0 };
    throw error;
  }
}
