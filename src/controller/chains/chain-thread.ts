import type { X509Certificate } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { type RateLimit, Rates } from '../../kit/rates.ts';
import { Refused } from '../attest/refused.ts';
import type { Chains, PresentedChain } from '../policy/rules.ts';
import { startWorker } from './start-worker.ts';
import type { ChainQuestion } from './why-untrusted.ts';
import type { ChainAnswer } from './worker.ts';

interface Limits {
  /** Milliseconds of the thread's processor time for each address. A chain of a maker takes two or three. */
  readonly perAddress: RateLimit;
  /** Milliseconds for one chain, the thread's start included. */
  readonly mostMs: number;
  /** Chains of one address that wait, and chains that wait in all. */
  readonly waitingOfAddress: number;
  readonly waiting: number;
}

const LIMITS: Limits = {
  perAddress: { perSecond: 100, burst: 2_000 },
  mostMs: 10_000,
  waitingOfAddress: 64,
  waiting: 512,
};
/** The thread ends when it had nothing to do for so long. */
const IDLE_MS = 60_000;

interface Waiting {
  readonly address: string;
  readonly question: ChainQuestion;
  readonly resolve: (why: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Verifies the chains of endorsement keys in a thread of its own, one after the other: what machines send that nobody knows yet takes nothing from
 * the thread that serves those that are proved. Each address has a budget of the thread's time, and whatever takes too long is ended with the thread.
 */
export class ChainThread implements Chains {
  readonly #limits: Limits;
  readonly #start: () => Worker;
  readonly #rates: Rates;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #present: (Waiting & { readonly timer: NodeJS.Timeout }) | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<Limits> = {}, start = startWorker) {
    this.#limits = { ...LIMITS, ...limits };
    this.#rates = new Rates(this.#limits.perAddress);
    this.#start = start;
  }

  async whyUntrusted(
    { key, certificates, address }: PresentedChain,
    authorities: readonly X509Certificate[],
  ): Promise<string | undefined> {
    if (!certificates || certificates.length === 0) return 'it has no certificate of its maker';
    const waitMs = this.#rates.wait(address);
    if (waitMs > 0)
      throw new Refused('slow-down', 'too many chains of certificates', { retryAfterMs: waitMs });
    const mine = this.#waiting.filter((other) => other.address === address).length;
    if (mine >= this.#limits.waitingOfAddress || this.#waiting.length >= this.#limits.waiting)
      throw new Refused('slow-down', 'too many chains of certificates wait', { retryAfterMs: 5_000 });
    const question = {
      ...{ key, certificates, now: Date.now() },
      authorities: authorities.map(({ raw }) => raw),
    };
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ address, question, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#present) return;
    const one = this.#waiting.shift();
    clearTimeout(this.#idle);
    if (!one) {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    const timer = setTimeout(() => this.#tookTooLong(), this.#limits.mostMs);
    this.#present = { ...one, timer };
    this.#worker ??= this.#begin();
    this.#worker.postMessage(one.question);
  }

  #begin(): Worker {
    const worker = this.#start();
    worker.on('message', ({ why, ms }: ChainAnswer) => {
      if (worker === this.#worker) this.#finish(ms, ({ resolve }) => resolve(why));
    });
    // It has no memory left, say.
    worker.on('error', (error) => {
      if (worker === this.#worker) this.#fail(`the thread that verifies chains failed: ${error.message}`, 0);
    });
    worker.on('exit', () => {
      if (worker === this.#worker) this.#fail('the thread that verifies chains ended', 0);
    });
    return worker;
  }

  #tookTooLong(): void {
    const { mostMs } = this.#limits;
    this.#fail(`a chain of certificates took longer than ${mostMs / 1_000} s to verify`, mostMs);
  }

  /** Nothing is said against the machine: the host may be too busy. */
  #fail(why: string, ms: number): void {
    this.#end();
    this.#finish(ms, ({ reject }) => reject(new Refused('unavailable', why, { retryAfterMs: 5_000 })));
  }

  #finish(ms: number, tell: (one: Waiting) => void): void {
    const one = this.#present;
    if (!one) return;
    clearTimeout(one.timer);
    this.#present = undefined;
    this.#rates.take(one.address, ms);
    tell(one);
    this.#next();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}
