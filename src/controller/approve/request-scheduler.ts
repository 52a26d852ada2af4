import { Rates } from '../../kit/rates.ts';
import type { ParsedRequest } from './examine.ts';

/** Between two certificates for a bootstrap token: the kubelet with the first one is a Ready Node by then, or has failed. */
const BOOTSTRAP_MS = 60_000;
/** A kubelet renews once in months; each of its restarts asks for a serving certificate. */
const NODE = { burst: 10, everyMs: 10 * 60_000 };

interface Turn {
  readonly asked: ParsedRequest;
  isApproved: boolean;
}

/**
 * One request at a time for a node, use and way to ask: the newest, because kubelets keep no key of those before, and none while one
 * is approved and not signed yet. Whoever asks again and again has to wait.
 */
export class RequestScheduler {
  readonly #turns = new Map<string, Map<string, Turn>>();
  /** When the newest request that was approved was made. */
  readonly #served = new Map<string, number>();
  readonly #bootstraps: Rates;
  readonly #renewals: Rates;

  constructor(now?: () => number) {
    this.#bootstraps = new Rates({ perSecond: 1000 / BOOTSTRAP_MS, burst: 1 }, now);
    this.#renewals = new Rates({ perSecond: 1000 / NODE.everyMs, burst: NODE.burst }, now);
  }

  /** A request that waits, or is approved and not signed. */
  put(asked: ParsedRequest, isApproved: boolean): void {
    const key = keyOf(asked);
    const turns = this.#turns.get(key) ?? new Map<string, Turn>();
    this.#turns.set(key, turns.set(asked.name, { asked, isApproved }));
    if (isApproved) this.#serve(asked);
  }

  /** It is signed, denied or gone. */
  remove(asked: ParsedRequest): void {
    const key = keyOf(asked);
    const turns = this.#turns.get(key);
    turns?.delete(asked.name);
    if (turns?.size !== 0) return;
    this.#turns.delete(key);
    this.#served.delete(key);
  }

  /**
   * Why it is not its turn; undefined if it is.
   *
   * @param isProved its machine has proved this key: whoever asks on with other keys, by a token that many have, does not hold it up
   */
  whyNot(asked: ParsedRequest, isProved = false): string | undefined {
    const key = keyOf(asked);
    for (const { asked: other, isApproved } of this.#turns.get(key)?.values() ?? []) {
      if (other.name === asked.name) continue;
      if (isApproved) return `${other.name} of the same node is approved and not signed yet`;
      const isRival = !isProved || other.keyDigest === asked.keyDigest;
      if (isRival && isNewer(other, asked)) return `the same node has asked again since: ${other.name}`;
    }
    if (asked.madeAt < (this.#served.get(key) ?? 0))
      return 'the same node has asked again since, and was answered';
    if (this.#ratesOf(asked).wait(key) > 0)
      return 'the same node was given a certificate for this a moment ago';
    return undefined;
  }

  approved(asked: ParsedRequest): void {
    this.#ratesOf(asked).take(keyOf(asked));
    this.put(asked, true);
  }

  #serve(asked: ParsedRequest): void {
    const key = keyOf(asked);
    this.#served.set(key, Math.max(asked.madeAt, this.#served.get(key) ?? 0));
  }

  #ratesOf({ by }: ParsedRequest): Rates {
    return by === 'bootstrap' ? this.#bootstraps : this.#renewals;
  }
}

function isNewer(one: ParsedRequest, other: ParsedRequest): boolean {
  return one.madeAt > other.madeAt || (one.madeAt === other.madeAt && one.name > other.name);
}

/** Whoever has a token does not come before the node itself. */
function keyOf({ use, by, node }: ParsedRequest): string {
  return `${use} ${by} ${node}`;
}
