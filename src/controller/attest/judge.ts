import type { MachineIdentity } from '../../protocol/events.ts';
import type { Admission, TieKind, TpmCounters } from '../model/node-record.ts';
import { counterRegression } from '../policy/counters.ts';
import type { IdentityPolicy } from '../policy/identity-policy.ts';
import { type Chains, checkRegisters, checkTrusted, checkValid } from '../policy/rules.ts';
import { Violation } from '../policy/violation.ts';
import type { KeyHolders } from '../store/key-holders.ts';
import type { MachineIdentities, Proofs } from '../store/machine-identities.ts';
import type { Store } from '../store/store.ts';
import type { Claim } from './attestor.ts';
import type { FoundMachine } from './machine-finder.ts';
import { Refused } from './refused.ts';

/** What a machine proved under policies. */
interface Judgement {
  readonly policies: readonly string[];
  /** Somebody has to admit it first. */
  readonly isPending: boolean;
}

export interface JudgeParts {
  readonly policiesOf: (uid: string) => readonly IdentityPolicy[];
  /** Milliseconds since 1970 at which a Machine was made. */
  readonly madeAt: (uid: string) => number;
  /** Another Machine that this machine says it is; undefined if it is none. */
  readonly otherOf: (
    found: FoundMachine,
    machine: MachineIdentity,
  ) => { name: string; uid: string } | undefined;
  readonly store: Pick<Store, 'find'>;
  readonly identities: Pick<MachineIdentities, 'of' | 'bind'>;
  readonly holders: Pick<KeyHolders, 'take'>;
  readonly counters: CounterBook;
  readonly chains: Chains;
  /** Called with each proof that failed. */
  readonly failed: (found: FoundMachine, claim: Claim, violation: Violation) => Promise<void>;
}

/** What TPMs' counters were. */
interface CounterBook {
  /** From the last proof in which it was this Machine, as stored, not as watched. @throws StoreBusy */
  seen(endorsementKey: string, uid: string): Promise<TpmCounters | undefined>;
  /** Does nothing if the TPM has no node yet. @throws StoreBusy */
  note(endorsementKey: string, uid: string, counters: TpmCounters): Promise<void>;
}

/** Holds what a machine proved against what it proved before, and against the policies of the Machine that it is. */
export class Judge {
  readonly #parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  /**
   * @returns undefined if no policy says anything of the Machine
   * @throws Refused, StoreBusy
   */
  async judge(claim: Claim, machine: MachineIdentity, found: FoundMachine): Promise<Judgement | undefined> {
    const policies = this.#parts.policiesOf(found.owner.uid);
    try {
      await this.#checkCounters(claim, found);
      checkValid(policies);
      if (policies.length > 0) await this.#check(policies, claim, machine, found);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      await this.#parts.failed(found, claim, error);
      const words = `${error.message} (${error.reason})`;
      throw new Refused('forbidden', `Machine ${found.namespace}/${found.owner.name}: ${words}`, {
        ...{ words, isProved: true, reason: error.reason },
      });
    }
    const { counters, endorsementKey } = claim;
    if (counters && endorsementKey !== undefined)
      await this.#parts.counters.note(endorsementKey, found.owner.uid, counters);
    if (policies.length === 0) return undefined;
    return {
      policies: policies.map(({ name }) => name),
      isPending: policies.some(({ isManual }) => isManual),
    };
  }

  /** Each proof answers a new challenge, so only its counters show that a TPM was put back to an earlier state. */
  async #checkCounters({ counters, endorsementKey = '' }: Claim, { owner }: FoundMachine): Promise<void> {
    const before = counters && (await this.#parts.counters.seen(endorsementKey, owner.uid));
    const why = before && counterRegression(before, counters);
    if (why === undefined) return;
    throw new Violation(
      'TpmStateWentBack',
      `The TPM ${endorsementKey} was put back to an earlier state or cleared: ${why}.`,
    );
  }

  async #check(
    policies: readonly IdentityPolicy[],
    claim: Claim,
    machine: MachineIdentity,
    found: FoundMachine,
  ): Promise<void> {
    const { endorsementKey: key, certificates, address = '' } = claim;
    const { uid, name } = found.owner;
    if (key !== undefined) await checkTrusted(policies, { key, certificates, address }, this.#parts.chains);
    const other = this.#parts.otherOf(found, machine);
    if (other !== undefined)
      throw new Violation(
        'EndorsementKeyForeign',
        `A machine that says it is Machine ${other.name} proved itself by what belongs to Machine ${name}.`,
        other,
      );
    const known = await this.#parts.identities.of(found.namespace, uid);
    const isKnown = key === undefined ? (known?.epoch ?? 0) > 0 : known?.endorsementKey === key;
    this.#checkAge(policies, uid, isKnown);
    if (key === undefined) return;
    checkVouched(policies, key, found);
    await this.#checkBoot(policies, claim, found, known);
    await this.#bind(claim, found, known);
  }

  #checkAge(policies: readonly IdentityPolicy[], uid: string, isKnown: boolean): void {
    if (isKnown) return;
    const age = Date.now() - this.#parts.madeAt(uid);
    const over = policies.find(({ windowMs }) => age > windowMs);
    if (!over) return;
    throw new Violation(
      'EnrolmentTooLate',
      `The Machine is older than policy ${over.name} lets a machine be that enrols for the first time (${over.windowMs / 60_000} minutes).`,
    );
  }

  async #checkBoot(
    policies: readonly IdentityPolicy[],
    { boot, byFirstUse, registers: shown = {} }: Claim,
    { namespace, owner }: FoundMachine,
    known: Proofs | undefined,
  ): Promise<void> {
    for (const { name, registers } of policies) {
      if (!registers) continue;
      const { as, pcrs } = registers;
      // The reference itself can only be compared with what it showed first. Which TPM is the reference is people's to say.
      const isReference =
        as !== 'firstUse' && 'reference' in as && as.reference === owner.name && !byFirstUse;
      if (as === 'firstUse' || isReference) {
        const first = known?.registers ?? shown;
        checkRegisters(name, pcrs, { shown, boot, before: known?.measured }, (pcr) => [first[pcr] ?? '']);
      } else if ('values' in as)
        checkRegisters(name, pcrs, { shown, boot }, (pcr) => as.values.get(pcr) ?? []);
      else {
        const like = (await this.#parts.store.find(namespace, as.reference))?.spec;
        const registers = like?.machine?.by === 'tpm' ? like.enrolment.registers : undefined;
        if (!registers)
          throw new Violation('ReferenceMachineUnknown', noReference(name, as.reference, owner.name));
        const before = like?.enrolment.measured;
        checkRegisters(name, pcrs, { shown, boot, before }, (pcr) => [registers[pcr] ?? '']);
      }
    }
  }

  /** What is true of the Machine from now on, whatever becomes of its NodeBootstrap. */
  async #bind(claim: Claim, found: FoundMachine, known: Proofs | undefined): Promise<void> {
    const { boot, endorsementKey = '', registers = {}, byFirstUse } = claim;
    const isVouched = found.tie.by === 'tpm';
    const isSame = known?.endorsementKey === endorsementKey;
    // A first use that nobody vouched for has no registers, and makes way for a key that somebody vouches for.
    const isFree = known?.endorsementKey === undefined || (isVouched && !isSame && !known.registers);
    if (byFirstUse && isFree) await this.#takeFirst(claim, found);
    const { namespace, owner } = found;
    if (isSame && (known.registers || !isVouched)) return;
    const measured = boot?.measured;
    const kept = {
      ...{ endorsementKey, isNamed: !byFirstUse, isFirst: known === undefined },
      ...(isVouched ? { registers, ...(measured ? { measured } : {}) } : {}),
    };
    if (await this.#parts.identities.bind(namespace, owner, kept)) return;
    throw new Violation(
      'EndorsementKeyForeign',
      `Machine ${owner.name} was first proved by another TPM than ${endorsementKey}.`,
    );
  }

  /** Nobody named this key: that it is the first to come has to be all that there is to say. */
  async #takeFirst(
    { endorsementKey = '' }: Claim,
    { namespace, owner, nodeName, tie: by }: FoundMachine,
  ): Promise<void> {
    const { name, uid } = owner;
    if (nodeName !== undefined)
      throw new Violation('EnrolmentTooLate', `Machine ${name} has its Node already.`);
    const holder = await this.#parts.store.find(namespace, name);
    const tie = holder?.spec.machine;
    const isOther = tie?.uid === uid && holder?.spec.enrolment.endorsementKey !== endorsementKey;
    if (isOther && (isProof(tie.by) || (tie.by === 'firstUse' && !isProof(by.by))))
      throw new Violation('EndorsementKeyForeign', `Machine ${name} was proved by another machine before.`);
    if (await this.#parts.holders.take(endorsementKey, { namespace, name, uid })) return;
    throw new Violation('EndorsementKeyForeign', `The TPM ${endorsementKey} belongs to another Machine.`);
  }
}

/** Registers say something where a TPM signed them, and no one else. @throws Violation */
function checkVouched(policies: readonly IdentityPolicy[], key: string, { tie }: FoundMachine): void {
  const policy = tie.by === 'firstUse' && policies.find(({ registers }) => registers !== undefined);
  if (!policy) return;
  throw new Violation(
    'EndorsementKeyUntrusted',
    `Policy ${policy.name} demands registers, and nobody vouches that ${key} is the key of a TPM: it is not named for the Machine, and no policy has a list or authorities.`,
  );
}

function noReference(policy: string, reference: string, own: string): string {
  const why = `Policy ${policy} compares with Machine ${reference}`;
  return reference === own
    ? `${why}, which is this one: name its TPM (slipway.dev/endorsement-key), so that nobody else becomes the reference.`
    : `${why}, which has not proved itself by its TPM yet.`;
}

function isProof(by: TieKind): boolean {
  return by === 'tpm' || by === 'token';
}

/** What stands in the way of a certificate; undefined if nothing does. */
export function admissionRefusal(admission: Admission | undefined): Refused | undefined {
  switch (admission?.state) {
    case 'Pending':
      return new Refused('slow-down', 'the node waits to be admitted', {
        ...{ words: PENDING, isProved: true, reason: 'NodePending', retryAfterMs: 15_000 },
      });
    case 'Quarantined':
      return new Refused('forbidden', 'the node is quarantined', {
        ...{ words: QUARANTINED, isProved: true, reason: 'NodeQuarantined' },
      });
    case 'Refused':
      return new Refused('forbidden', `the node was refused: ${admission.why ?? ''}`);
    default:
      return undefined;
  }
}

const PENDING =
  'This machine proved itself and waits until somebody admits it: slipway-controller nodes admit NAME.';
const QUARANTINED =
  'This machine is quarantined: it gets no secret and no certificate until somebody admits it again.';
