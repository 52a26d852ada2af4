import { ENROLMENT_VERSION } from '../../protocol/attestation.ts';
import {
  SECRET_RELEASE_PURPOSE,
  type SecretReleaseReply,
  type SecretReleaseRequest,
} from '../../protocol/secret-release.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { FreshProofs } from '../fresh-proofs/fresh-proofs.ts';
import type { SealedParts } from './sealed-parts.ts';

interface ReleaseParts {
  readonly proofs: Pick<FreshProofs, 'of'>;
  readonly sealed: Pick<SealedParts, 'of' | 'take'>;
}

/** Gives a machine what was sealed for its Machine, once for each proof (threat model 16, 20 and 25). */
export class SecretReleaser {
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
    request: SecretReleaseRequest,
    peer: PresentedPeer,
    channel: Uint8Array,
  ): Promise<{ reply: SecretReleaseReply; machine: string; by: string }> {
    const purpose = { text: SECRET_RELEASE_PURPOSE, channel, code: 'SealedDataRefused' } as const;
    // Whether it may have something comes before whether there is something.
    const { node, machine: tie } = await this.#parts.proofs.of(request, peer, purpose);
    const found = await this.#parts.sealed.of(tie.uid);
    if (!found)
      throw refused('not-found', `nothing is sealed for Machine ${tie.name}`, 'SealedDataMissing', MISSING);
    const { machine, expires, digest, key, part } = found;
    if (!(Date.parse(expires) > Date.now()))
      throw refused('forbidden', `what was sealed for ${machine} has expired`, 'SealedDataExpired', EXPIRED);
    if (tie.by !== 'tpm' && !(await this.#parts.sealed.take(tie.uid, digest, node.spec.keyDigest)))
      throw refused('forbidden', `what was sealed for ${machine} was taken before`, 'SealedDataTaken', TAKEN);
    const reply: SecretReleaseReply = {
      version: ENROLMENT_VERSION,
      digest,
      ...(key ? { key } : {}),
      ...(part ? { part } : {}),
    };
    return { reply, machine, by: tie.by };
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
