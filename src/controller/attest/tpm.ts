import { createHash, timingSafeEqual } from 'node:crypto';
import type { MachineIdentity } from '../../protocol/events.ts';
import { challengeDigest } from '../../tpm/evidence/challenge-digest.ts';
import { ProofError, verifyQuote } from '../../tpm/evidence/verify-quote.ts';
import type { Quoted } from '../../tpm/objects/attest.ts';
import { qualifiedNameOf } from '../../tpm/objects/public-area.ts';
import { ALG, HANDLE } from '../../tpm/wire/constants.ts';
import { MalformedError } from '../../tpm/wire/reader.ts';
import { BootLogExplainer } from '../policy/boot-log-explainer.ts';
import { countersOf } from '../policy/counters.ts';
import type { Attestor, Claim, Evidence } from './attestor.ts';
import { Refused } from './refused.ts';
import type { TpmChallenges } from './tpm-challenges.ts';

/** Finds the one Machine that a machine with an endorsement key can be. */
interface MachinesByTpm {
  byTpm(
    endorsementKey: string,
    machine: MachineIdentity,
  ): { readonly namespace: string; readonly uid: string; readonly byFirstUse: boolean } | undefined;
}

/**
 * A machine proves by its TPM that it is the one whose endorsement key a Machine names (threat model 4 to 11): it opened the
 * credential, so both keys are in that TPM; the quote is for this challenge, this certificate request and this connection.
 */
export class TpmAttestor implements Attestor {
  readonly #challenges: TpmChallenges;
  readonly #machines: MachinesByTpm;

  constructor(challenges: TpmChallenges, machines: MachinesByTpm) {
    this.#challenges = challenges;
    this.#machines = machines;
  }

  async attest({ proof, machine, csr, channel }: Evidence): Promise<Claim | undefined> {
    if (!proof) return undefined;
    const asked = this.#challenges.spend(proof.challenge);
    const csrDigest = createHash('sha256').update(csr).digest();
    if (
      machine.instance !== asked.instance ||
      !same(csrDigest, asked.csrDigest) ||
      !same(channel, asked.channel)
    )
      throw new Refused(
        'unauthorized',
        'the answer is not for the machine, key or connection of its challenge',
      );
    if (!same(proof.opened, asked.secret))
      throw new Refused('unauthorized', 'the credential was not opened by the TPM of this endorsement key');
    const values = new Map(asked.pcrs.map((pcr, at) => [pcr, proof.values[at] ?? Buffer.alloc(0)] as const));
    let quote: Quoted;
    try {
      const { ak, nonce, pcrs } = asked;
      const evidence = { ak, quoted: proof.quoted, signature: proof.signature, values };
      quote = verifyQuote(evidence, challengeDigest({ nonce, csrDigest, channel }), {
        bank: ALG.sha256,
        pcrs,
      });
    } catch (error) {
      if (error instanceof ProofError || error instanceof MalformedError)
        throw new Refused('unauthorized', error.message);
      throw error;
    }
    // In another one the TPM disguises its counters, so that they could be whatever suits.
    if (!same(quote.signer, qualifiedNameOf(asked.ak, HANDLE.endorsement)))
      throw new Refused(
        'unauthorized',
        'the attestation key is not a primary key of the endorsement hierarchy',
      );
    const found = this.#machines.byTpm(asked.endorsementKey, machine);
    if (!found) throw new Refused('unauthorized', `no one Machine names ${asked.endorsementKey}`);
    return {
      method: 'tpm',
      namespace: found.namespace,
      machineUid: found.uid,
      endorsementKey: asked.endorsementKey,
      address: asked.address,
      byFirstUse: found.byFirstUse,
      counters: countersOf(quote),
      registers: Object.fromEntries(
        [...values].map(([pcr, value]) => [pcr, Buffer.from(value).toString('hex')]),
      ),
      boot: new BootLogExplainer(proof.log, values),
      ...(asked.certificates ? { certificates: asked.certificates } : {}),
    };
  }
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
