import { Rates } from '../../kit/rates.ts';
import { CHECKIN_VERSION, type CheckInReply, type CheckInRequest } from '../../protocol/check-in/check-in.ts';
import type { CheckInWish } from '../../protocol/exchange.ts';
import type { CertificateChecker } from '../attest/certificate-checker.ts';
import { WRONG_MACHINE } from '../attest/enrolment.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import { type NodeRecord, nodeKey, type WatchedNode } from '../model/node-record.ts';
import type { Phase } from '../model/summary.ts';

/** Nothing more is to come of the bootstrap, as far as the controller knows. */
const OVER: readonly Phase[] = ['Succeeded', 'Failed', 'Lost'];
/** How often one machine's record is read from the store for its check-ins. */
const READS = { perSecond: 0.1, burst: 10 };

interface CheckInParts {
  readonly bearers: CertificateChecker;
  /** The node as a watch knows it, which costs nothing; absent where reading the store costs nothing. */
  readonly watched?: (key: string) => WatchedNode | undefined;
  /** How often machines are to check in; 0: not at all. */
  readonly everySeconds: number;
}

/** Tells machines that have told everything what the controller lacks of it. */
export class CheckIns {
  readonly #parts: CheckInParts;
  readonly #reads = new Rates(READS);

  constructor(parts: CheckInParts) {
    this.#parts = parts;
  }

  /** What the answer to a machine's events says of check-ins. */
  wish(phase: Phase): { checkin?: CheckInWish } {
    const { everySeconds } = this.#parts;
    return everySeconds > 0 && OVER.includes(phase) ? { checkin: { everySeconds } } : {};
  }

  /** @throws Refused, StoreBusy */
  async answer({ machine, told }: CheckInRequest, peer: PresentedPeer): Promise<CheckInReply> {
    const { everySeconds } = this.#parts;
    const watched = this.#parts.watched?.(nodeKey(peer));
    const isUsual =
      watched !== undefined && this.#parts.bearers.isCurrent(watched, peer) && !lacks(watched, told);
    // A watch may lag behind what another replica has stored, so the store is asked before anything is told again.
    const record = isUsual ? watched : await this.#read(peer);
    if (record.spec.instance !== machine.instance) {
      throw new Refused('forbidden', `the certificate is of instance ${record.spec.instance}`, {
        words: WRONG_MACHINE,
      });
    }
    return {
      version: CHECKIN_VERSION,
      wants: lacks(record, told) ? 'events' : 'nothing',
      // Whatever the record has lost: the machine has told everything once, and goes on until nobody wants it any more.
      ...(everySeconds > 0 ? { checkin: { everySeconds } } : {}),
    };
  }

  #read(peer: PresentedPeer): Promise<NodeRecord> {
    const retryAfterMs = this.#reads.take(`${nodeKey(peer)} ${peer.serial}`);
    if (retryAfterMs > 0)
      throw new Refused('slow-down', `${nodeKey(peer)} checks in all the time`, { retryAfterMs });
    return this.#parts.bearers.admit(peer);
  }
}

/** Was more acknowledged to the machine than the record has? What it has was folded into its summary by the same write. */
function lacks({ seq }: WatchedNode, told: CheckInRequest['told']): boolean {
  return told !== undefined && seq < told.seq;
}
