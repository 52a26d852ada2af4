import { Rates } from '../../kit/rates.ts';
import { type NodeRecord, type NodeSpec, nodeKey } from '../model/node-record.ts';
import { StoreBudgetExceeded } from './store.ts';

/**
 * What one machine may cost: so many writes, and so many bytes of them. A bootstrap of a minute takes six writes
 * and 100 kB, and one on a bad day twenty writes in a minute. A store that is not thrifty writes each batch.
 */
const WRITES = { thrifty: { perSecond: 0.2, burst: 30 }, ready: { perSecond: 5, burst: 300 } };
const BYTES = { perSecond: 8 * 1024, burst: 4 * 1024 * 1024 };

/** What says of a node whose budget it is. */
interface Spender extends Pick<NodeRecord, 'namespace' | 'name' | 'bytes'> {
  readonly spec: Pick<NodeSpec, 'keyDigest'> & { readonly enrolment: { readonly endorsementKey?: string } };
}

/** What each machine has written lately, whatever it was. */
export class WriteBudget {
  readonly #writes: Rates;
  readonly #bytes: Rates;

  /**
   * @param thrifty of the store
   * @param now milliseconds of a clock that nobody sets
   */
  constructor(thrifty: boolean, now?: () => number) {
    this.#writes = new Rates(thrifty ? WRITES.thrifty : WRITES.ready, now);
    this.#bytes = new Rates(BYTES, now);
  }

  /**
   * @param added what is written besides the node itself
   * @throws StoreBudgetExceeded
   */
  spend(record: Spender, added: unknown): void {
    const key = `${nodeKey(record)} ${whose(record)}`;
    const waitMs = Math.max(this.#writes.wait(key), this.#bytes.wait(key));
    if (waitMs > 0)
      throw new StoreBudgetExceeded(`${nodeKey(record)} writes more than a bootstrap does`, waitMs);
    this.#writes.take(key);
    this.#bytes.take(key, bytesOf(added) + (record.bytes ?? 0));
  }
}

/** An earlier holder of the place spends nothing of the machine that proved itself; a TPM with a new key is the same machine. */
function whose({ spec }: Spender): string {
  return spec.enrolment.endorsementKey ?? spec.keyDigest;
}

/** In etcd. The API server writes `<`, `>`, `&`, U+2028 and U+2029 in six bytes each (`\u003c`), as Go does. */
export const MAX_BYTES_PER_CHARACTER = 6;

/** As etcd counts them. */
export function bytesOf(value: unknown): number {
  const text = JSON.stringify(value);
  return Buffer.byteLength(LONGER_IN_GO.test(text) ? text.replace(ALL_LONGER_IN_GO, '\\u003c') : text);
}

const LONGER_IN_GO = /[<>&\u2028\u2029]/;
const ALL_LONGER_IN_GO = /[<>&\u2028\u2029]/g;
