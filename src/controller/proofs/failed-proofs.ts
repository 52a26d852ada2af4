import { Rates } from '../../kit/rates.ts';
import type { Claim } from '../attest/attestor.ts';
import type { FoundMachine } from '../attest/machine-finder.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Alarms } from '../machines/alarms.ts';
import type { NodeRecord } from '../model/node-record.ts';
import type { Violation } from '../policy/violation.ts';
import { writeAdmission } from '../store/admission.ts';
import type { Store } from '../store/store.ts';
import type { AttestedConditions } from './attested.ts';

interface FailedProofParts {
  readonly client: KubeClient;
  readonly store: Pick<Store, 'find'>;
  readonly alarms: Pick<Alarms, 'failed'>;
  readonly attested: Pick<AttestedConditions, 'failed'>;
  /** Was the Machine's node proved by this TPM? */
  readonly isHolder: (endorsementKey: string, uid: string) => boolean;
  /** Does a policy select the Machine? */
  readonly isGoverned: (uid: string) => boolean;
  /** Called with a node that was refused. */
  readonly changed: (record: NodeRecord) => void;
}

/** Whoever fails on purpose, again and again, learns so from the answer alone. */
const TOLD = { perSecond: 0.1, burst: 10 };

/** What comes of a proof that does not satisfy the policies: the Machine says so, and who had a certificate gets no other one. */
export class FailedProofs {
  readonly #parts: FailedProofParts;
  readonly #told = new Rates(TOLD);

  constructor(parts: FailedProofParts) {
    this.#parts = parts;
  }

  /** @throws StoreBusy */
  async failed({ namespace, owner }: FoundMachine, claim: Claim, violation: Violation): Promise<void> {
    const { endorsementKey = '', byFirstUse } = claim;
    const { reason, message, other } = violation;
    const { alarms, attested, changed, client, isHolder, store } = this.#parts;
    // Whoever calls itself the Machine, as often as it likes, keeps nothing from being said of the machine that is.
    const isStranger = byFirstUse === true && !isHolder(endorsementKey, owner.uid);
    if (this.#told.take(isStranger ? `${owner.uid} by a stranger` : owner.uid) > 0) return;
    alarms.failed(other ? [owner.uid, other.uid] : [owner.uid], reason, message);
    // Somebody else's failure says nothing of a machine that is proved already.
    if (other) return this.#borrowed(namespace, other, violation);
    const holder = await store.find(namespace, owner.name);
    const isHeld = holder?.spec.machine?.uid === owner.uid && isSettled(holder, byFirstUse);
    if (!isHeld && isStranger) return attested.failed(owner.uid, reason, `${message} ${STRANGER}`, 'Unknown');
    if (!isHeld) return attested.failed(owner.uid, reason, message);
    if (endorsementKey === '' || holder.spec.enrolment.endorsementKey !== endorsementKey) return;
    const { admission } = holder.spec;
    if (admission?.state === 'Quarantined' || admission?.why === message) return;
    const at = new Date().toISOString();
    const waits = admission?.state === 'Pending' || admission?.waits ? { waits: true as const } : {};
    const refused = { state: 'Refused', at, reason, why: message, ...waits } as const;
    const after = await writeAdmission(client, holder, refused);
    if (after) changed(after);
  }

  /** A Machine that waits for its proof says who came in its name. */
  async #borrowed(
    namespace: string,
    { name, uid }: NonNullable<Violation['other']>,
    { reason, message }: Violation,
  ): Promise<void> {
    const { attested, isGoverned, store } = this.#parts;
    const holder = await store.find(namespace, name);
    if (isGoverned(uid) && holder?.spec.machine?.uid !== uid) attested.failed(uid, reason, message);
  }
}

const STRANGER =
  'Nobody named this TPM for the Machine, and the machine only says that it is this one: it may be a stranger.';

/** Is the Machine this node's, as far as who comes now is concerned? A first use is better than another first use only. */
function isSettled({ spec }: NodeRecord, byFirstUse = false): boolean {
  const by = spec.machine?.by;
  return by === 'tpm' || by === 'token' || (by === 'firstUse' && byFirstUse);
}
