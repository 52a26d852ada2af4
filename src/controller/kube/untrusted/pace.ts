import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from './limits.ts';

/** Of what comes at once, so much is looked at in one go. */
const PIECE_BYTES = 4096;
/** Each piece costs some work, however small it is. */
const LEAST_BYTES = 512;
/** How long one cluster may keep the process busy before others have their turn. */
const TURN_MS = 5;

/**
 * How much of an API server's bytes is taken, and how much time is spent on them, by the second. What is beyond waits where it
 * is: nothing more is read from the connection meanwhile.
 */
export class Pace {
  readonly #limits: Pick<Limits, 'bytes' | 'workMs'>;
  readonly #now: () => number;
  #bytes: number;
  #workMs: number;
  #at: number;

  constructor(limits: Pick<Limits, 'bytes' | 'workMs'>, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#bytes = limits.bytes.burst;
    this.#workMs = limits.workMs.burst;
    this.#at = now();
  }

  /** @returns milliseconds to wait before any more is taken */
  take(bytes: number, workMs = 0): number {
    const { bytes: most, workMs: longest } = this.#limits;
    const now = this.#now();
    const seconds = (now - this.#at) / 1000;
    this.#at = now;
    this.#bytes = Math.min(most.burst, this.#bytes + seconds * most.perSecond) - Math.max(bytes, LEAST_BYTES);
    this.#workMs = Math.min(longest.burst, this.#workMs + seconds * longest.perSecond) - workMs;
    return Math.ceil(1000 * Math.max(0, -this.#bytes / most.perSecond, -this.#workMs / longest.perSecond));
  }

  /** The stream's bytes, no faster than this pace; the time that the reader takes for each piece counts. */
  async *of(stream: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let turnMs = 0;
    for await (const chunk of stream) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        const began = this.#now();
        yield piece;
        const worked = this.#now() - began;
        turnMs += worked;
        const waitMs = this.take(piece.length, worked);
        if (waitMs === 0 && turnMs < TURN_MS) continue;
        turnMs = 0;
        await sleep(waitMs, undefined, { signal });
      }
    }
  }
}
