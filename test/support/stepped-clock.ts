import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAKETIME, unpackedPackage } from '../lab/lab.ts';

export const HOUR_MS = 3_600_000;

/**
 * A wall clock for some processes, which can be set while they run; the kernel's clock and every other process stay as they
 * are, and so does monotonic time. It is Debian's libfaketime in those processes: what they ask the C library for the time
 * goes by it (`Date`, and OpenSSL's look at certificates), what the kernel itself stamps (files) does not.
 *
 * Needs root.
 */
export class SteppedClock {
  /** What stands before a command that is to go by this clock. */
  readonly command: readonly [string, ...string[]];
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-clock-'));
  #offsetMs = 0;

  private constructor(library: string) {
    this.step(0);
    const variables = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.command = [
      // The library leaves shared memory behind in the name of each process that is killed: on a file system of its own.
      ...(['unshare', '--mount', '--propagation', 'private'] as const),
      ...['sh', '-euc', 'mount -t tmpfs tmpfs /dev/shm; exec env "$@"', 'clock'],
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ];
  }

  static async make(say?: (line: string) => void): Promise<SteppedClock> {
    const made = await unpackedPackage(FAKETIME, say);
    return new SteppedClock(join(made, 'usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'));
  }

  /** Sets it to so many milliseconds (whole seconds) from the real time. It takes effect at once. */
  step(offsetMs: number): void {
    const next = `${this.#file}.next`;
    const seconds = Math.round(offsetMs / 1000);
    writeFileSync(next, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    // Nobody may read half of it.
    renameSync(next, this.#file);
    this.#offsetMs = offsetMs;
  }

  /** What it shows. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** After the processes that go by it. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'offset');
  }
}
