import { ENROLMENT_VERSION } from '../../protocol/attestation.ts';
import { RELEASE_PURPOSE, type ReleaseReply, type ReleaseRequest } from '../../protocol/release.ts';
import type { Attestor, Claim } from '../attest/attestor.ts';
import type { Bearers } from '../attest/bearers.ts';
import { WRONG_MACHINE } from '../attest/enrolment.ts';
import { barredBy, type Judge } from '../attest/judge.ts';
import type { ShownPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { Ties } from '../attest/ties.ts';
import type { MachineTie, NodeRecord } from '../model/node-record.ts';
import type { SealedParts } from './sealed-parts.ts';

export interface ReleaseParts {
  readonly bearers: Pick<Bearers, 'admit'>;
  readonly ties: Ties;
  readonly judge: Pick<Judge, 'judge'>;
  /** Of the proof by a TPM. */
  readonly tpm: Attestor;
  readonly sealed: Pick<SealedParts, 'of' | 'take'>;
}

/** Gives a machine what was sealed for its Machine, once for each proof (threat model 16, 20 and 25). */
export class Releases {
  readonly #parts: ReleaseParts;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /**
   * @param channel names the connection (RFC 9266)
   * @returns the answer, and for the log whom it is for
   * @throws Refused, StoreBusy
   */
  async release(
    request: ReleaseRequest,
    peer: ShownPeer,
    channel: Uint8Array,
  ): Promise<{ reply: ReleaseReply; machine: string; by: string }> {
    const node = await this.#parts.bearers.admit(peer);
    const tie = this.#proved(node, request);
    // Whether it may have something comes before whether there is something.
    await this.#judge(await this.#claim(node, tie, request, channel), request);
    const found = await this.#parts.sealed.of(tie.uid);
    if (!found)
      throw refused('not-found', `nothing is sealed for Machine ${tie.name}`, 'SealedDataMissing', MISSING);
    const { machine, expires, digest, key, part } = found;
    if (!(Date.parse(expires) > Date.now()))
      throw refused('forbidden', `what was sealed for ${machine} has expired`, 'SealedDataExpired', EXPIRED);
    if (tie.by !== 'tpm' && !(await this.#parts.sealed.take(tie.uid, digest, node.spec.keyDigest)))
      throw refused('forbidden', `what was sealed for ${machine} was taken before`, 'SealedDataTaken', TAKEN);
    const reply: ReleaseReply = {
      version: ENROLMENT_VERSION,
      digest,
      ...(key ? { key } : {}),
      ...(part ? { part } : {}),
    };
    return { reply, machine, by: tie.by };
  }

  /** The Machine that this node is, by a proof and not by a claim. @throws Refused */
  #proved({ namespace, name, spec }: NodeRecord, { machine }: ReleaseRequest): MachineTie {
    if (spec.instance !== machine.instance)
      throw new Refused('forbidden', 'the certificate is of another machine', { words: WRONG_MACHINE });
    const barred = barredBy(spec.admission);
    if (barred) throw barred;
    const tie = spec.machine;
    if (tie?.by !== 'tpm' && tie?.by !== 'token')
      throw refused(
        'forbidden',
        `${namespace}/${name} only claims to be a Machine`,
        'SealedDataRefused',
        CLAIMED,
      );
    const why = this.#parts.ties.objection(spec);
    if (why !== undefined)
      throw refused('forbidden', `${namespace}/${name}: ${why}`, 'SealedDataRefused', `${why}.`);
    return tie;
  }

  /** The same TPM, now, for this purpose and on this connection; a token was proof enough once. @throws Refused */
  async #claim(
    { namespace, spec }: NodeRecord,
    tie: MachineTie,
    { proof, machine }: ReleaseRequest,
    channel: Uint8Array,
  ): Promise<Claim> {
    if (tie.by !== 'tpm') return { method: spec.enrolment.method, namespace, machineUid: tie.uid };
    if (!proof) throw refused('forbidden', 'a release without a fresh proof', 'SealedDataRefused', ANEW);
    const evidence = { token: undefined, proof, machine, csr: RELEASE_PURPOSE, channel };
    const claim: Claim | undefined = await this.#parts.tpm.attest(evidence);
    const isSame = claim?.machineUid === tie.uid && claim.endorsementKey === spec.enrolment.endorsementKey;
    if (!claim || !isSame)
      throw refused(
        'forbidden',
        `another TPM answers for Machine ${tie.name}`,
        'EndorsementKeyForeign',
        FOREIGN,
      );
    return claim;
  }

  /** Policies hold of what it is now, and has booted into. @throws Refused */
  async #judge(claim: Claim, { machine }: ReleaseRequest): Promise<void> {
    const found = this.#parts.ties.find(claim, machine);
    if (!found)
      throw refused('forbidden', 'its Machine is gone', 'SealedDataRefused', 'Its Machine is gone.');
    await this.#parts.judge.judge(claim, machine, found);
  }
}

function refused(
  code: 'forbidden' | 'not-found',
  message: string,
  reason: NonNullable<Refused['reason']>,
  words: string,
): Refused {
  return new Refused(code, message, { words, reason });
}

const MISSING =
  'Nothing is sealed for the Machine of this machine. Seal it (slipway-controller seal --machine); it counts from then on.';
const EXPIRED = 'What was sealed for this Machine has expired. Seal it again.';
const TAKEN =
  'What was sealed for this Machine was given out before, and this machine has no TPM to prove itself anew. Seal it again; if nobody installed this machine anew, somebody else has it.';
const CLAIMED =
  'This machine only says which Machine it is. Let it prove that, by its TPM (slipway.dev/endorsement-key) or the token of its Machine.';
const ANEW = 'This machine enrolled by its TPM, and has to prove itself by it for each release.';
const FOREIGN = 'Another TPM answered than the one that this machine enrolled by.';
