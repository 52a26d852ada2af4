import type { JudgeParts } from '../attest/judge.ts';
import type { KubeClient } from '../kube/client.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { isCounterUpdate } from '../policy/counters.ts';
import type { Store } from '../store/store.ts';
import { writeCounters } from '../store/tpm-counters.ts';
import type { WriteBudget } from '../store/write-budget.ts';

interface StoredCountersParts {
  readonly client: KubeClient;
  readonly budget: WriteBudget;
  readonly store: Pick<Store, 'find'>;
  /** Where the node of a TPM is, if the TPM proved that it is this Machine. */
  readonly nodeOf: (
    endorsementKey: string,
    uid: string,
  ) => { readonly namespace: string; readonly name: string } | undefined;
}

/**
 * Counters of TPMs in their nodes. Each is read from the API server: a watch is behind by as long as the API server and this process
 * are busy, and a TPM that was put back within that time would not be noticed.
 */
export class StoredCounters implements CounterBook {
  readonly #parts: StoredCountersParts;

  constructor(parts: StoredCountersParts) {
    this.#parts = parts;
  }

  async seen(endorsementKey: string, uid: string): ReturnType<CounterBook['seen']> {
    return (await this.#node(endorsementKey, uid))?.spec.counters;
  }

  async note(...[endorsementKey, uid, counters]: Parameters<CounterBook['note']>): Promise<void> {
    const node = await this.#node(endorsementKey, uid);
    if (!node || !isCounterUpdate(node.spec.counters, counters)) return;
    const { client, budget } = this.#parts;
    await writeCounters(client, budget, node, endorsementKey, counters);
  }

  async #node(endorsementKey: string, uid: string): Promise<NodeRecord | undefined> {
    const place = this.#parts.nodeOf(endorsementKey, uid);
    const node = place && (await this.#parts.store.find(place.namespace, place.name));
    return node?.spec.enrolment.endorsementKey === endorsementKey ? node : undefined;
  }
}

type CounterBook = JudgeParts['counters'];
