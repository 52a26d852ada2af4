import { Rates } from '../../kit/rates.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { type Store, StoreSpent, stored } from './store.ts';

/**
 * What one machine may cost: so many writes, and so many bytes of them. A bootstrap of a minute takes six writes
 * and 100 kB, and one on a bad day twenty writes in a minute. A store that is not thrifty writes each batch.
 */
const WRITES = { thrifty: { perSecond: 0.2, burst: 30 }, ready: { perSecond: 5, burst: 300 } };
const BYTES = { perSecond: 8 * 1024, burst: 4 * 1024 * 1024 };

/**
 * The same store, within a budget for each machine: `append` and `certify` throw StoreSpent beyond it. Nothing
 * is acknowledged that is not stored, so what is refused comes again, together with what is newer.
 *
 * @param now milliseconds of a clock that nobody sets
 */
export function budgeted(store: Store, now?: () => number): Store {
  const writes = new Rates(store.thrifty ? WRITES.thrifty : WRITES.ready, now);
  const bytes = new Rates(BYTES, now);
  const spend = (record: NodeRecord, own: number): void => {
    const key = `${nodeKey(record)} ${whose(record)}`;
    const waitMs = Math.max(writes.wait(key), bytes.wait(key));
    if (waitMs > 0) throw new StoreSpent(`${nodeKey(record)} writes more than a bootstrap does`, waitMs);
    writes.take(key);
    bytes.take(key, own + (record.bytes ?? 0));
  };
  return {
    thrifty: store.thrifty,
    find: (...of) => store.find(...of),
    create: (...of) => store.create(...of),
    append: async (record, addition) => {
      spend(
        record,
        addition.events.reduce((sum, event) => sum + bytesOf(stored(event)), 0),
      );
      return store.append(record, addition);
    },
    certify: async (record, certificate) => {
      spend(record, bytesOf(certificate));
      return store.certify(record, certificate);
    },
    remove: (...of) => store.remove(...of),
    list: (...of) => store.list(...of),
    overview: (...of) => store.overview(...of),
    events: (...of) => store.events(...of),
    close: () => store.close(),
  };
}

/** Who had the place before spends nothing of who proved to be the machine; a TPM with a new key is the same machine. */
function whose({ spec }: NodeRecord): string {
  return spec.enrolment.endorsementKey ?? spec.keyDigest;
}

/** As etcd counts them. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
