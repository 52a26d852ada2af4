import type { KeyObject } from 'node:crypto';
import { type Authority, keyDigest } from '../../pki/authority.ts';
import { newSerial } from '../../pki/certificate.ts';
import { readCsrKey } from '../../pki/read-csr.ts';
import type { ChallengeReply, ChallengeRequest } from '../../protocol/attestation.ts';
import { ENROLMENT_VERSION, type EnrolReply, type EnrolRequest } from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { StoreBusy } from '../store/store.ts';
import type { Attestor, Claim } from './attestor.ts';
import type { CertificateChecker } from './certificate-checker.ts';
import { type HolderParts, Holders } from './holders.ts';
import { admissionRefusal } from './judge.ts';
import { type Peer, type PresentedPeer, peerUri } from './peer.ts';
import { Refused, type RefusedClaim } from './refused.ts';
import type { TpmChallenges } from './tpm-challenges.ts';

interface EnrolmentParts extends HolderParts {
  readonly bearers: CertificateChecker;
  readonly authority: () => Authority;
  /** All authorities that count, in PEM; the one that signs is the first. */
  readonly trusted: () => string;
  readonly attestors: readonly Attestor[];
  /** Ends the refusal of a node whose proof holds again; undefined if somebody wrote meanwhile. */
  readonly readmit?: (node: NodeRecord) => Promise<NodeRecord | undefined>;
  /** Absent if no machine can prove itself by its TPM here. */
  readonly challenges?: TpmChallenges;
  /** Called where a genuine token did not let its machine in. */
  readonly refused?: (claim: RefusedClaim, machine: MachineIdentity, refused: Refused) => void;
  readonly certificateMs: number;
}

/** Exchanges proofs of identity for client certificates. */
export class Enrolment {
  readonly #parts: EnrolmentParts;
  readonly #holders: Holders;

  constructor(parts: EnrolmentParts) {
    this.#parts = parts;
    this.#holders = new Holders(parts);
  }

  /**
   * @param peer the holder of the connection's certificate, if it has one
   * @param channel names the connection (RFC 9266)
   * @returns the answer, and for the log who enrolled and how
   * @throws Refused, StoreBusy
   */
  async enrol(
    request: EnrolRequest,
    peer: PresentedPeer | undefined,
    channel: Uint8Array,
  ): Promise<{ reply: EnrolReply; about: Peer & { method: string } }> {
    if (request.token === undefined && !request.proof) return this.#renew(request, peer);
    try {
      return await this.#admit(request, peer, channel);
    } catch (error) {
      // Who may come again with more has not been refused yet.
      if (error instanceof Refused && error.claim && error.wants === undefined)
        this.#parts.refused?.(error.claim, request.machine, error);
      throw error;
    }
  }

  async #admit(request: EnrolRequest, peer: PresentedPeer | undefined, channel: Uint8Array) {
    // The token before the key: a stranger's word is cheaper to refuse than a signature.
    const claim = await this.#prove(request, channel);
    const key = csrKey(request.csr);
    const serial = newSerial();
    const made = { keyDigest: keyDigest(key), certificate: { serial, madeAt: new Date().toISOString() } };
    const held = await this.#holders.admit(claim, request.machine, made, peer?.binding);
    const node = await this.#readmitted(held, claim);
    const barred = admissionRefusal(node.spec.admission);
    if (barred) throw barred;
    if (node.spec.certificate?.serial !== serial) await this.#next(node, serial, peer?.serial);
    const about = { ...bearerOf(node), method: node.spec.enrolment.method };
    return { reply: this.#certify(about, key, serial), about };
  }

  /** Asks a machine's TPM. @throws Refused */
  challenge(request: ChallengeRequest, channel: Uint8Array, address: string): ChallengeReply {
    const { challenges } = this.#parts;
    if (!challenges) throw new Refused('unauthorized', 'there are no Machines here that name a TPM');
    return challenges.make(request, channel, address);
  }

  /**
   * Says whether a machine could enrol with a token, without spending it. Uses of a pool's token and policies are looked at
   * when it does.
   *
   * @throws Refused, StoreBusy
   */
  async examine(token: string, machine: MachineIdentity, channel: Uint8Array): Promise<void> {
    const claim = await this.#prove({ version: ENROLMENT_VERSION, token, machine, csr: '' }, channel);
    await this.#holders.examine(claim, machine);
  }

  /** A proof that failed once and holds now counts again; what is less than that proof, such as a token, is none of it. */
  async #readmitted(node: NodeRecord, { endorsementKey }: Claim): Promise<NodeRecord> {
    const { admission, enrolment } = node.spec;
    if (admission?.state !== 'Refused' || enrolment.endorsementKey !== endorsementKey) return node;
    const after = await this.#parts.readmit?.(node);
    if (after) return after;
    throw new StoreBusy(`${node.namespace}/${node.name} is being written by others`);
  }

  async #renew(request: EnrolRequest, peer: PresentedPeer | undefined) {
    if (!peer) throw new Refused('unauthorized', 'the request has neither a token nor a valid certificate');
    const node = await this.#parts.bearers.admit(peer);
    if (node.spec.instance !== request.machine.instance) {
      throw new Refused('forbidden', 'the certificate is of another machine', { words: WRONG_MACHINE });
    }
    const barred = admissionRefusal(node.spec.admission);
    if (barred) throw barred;
    const why = this.#parts.ties?.objection(node.spec);
    if (why !== undefined) throw new Refused('forbidden', `${node.namespace}/${node.name}: ${why}`);
    if (this.#parts.ties?.wantsProof(node.spec))
      throw new Refused('forbidden', `${node.namespace}/${node.name} has to prove itself anew`, {
        words: ANEW,
      });
    const key = csrKey(request.csr);
    const serial = newSerial();
    await this.#next(node, serial, peer.serial);
    const about = { ...bearerOf(node), method: 'certificate' };
    return { reply: this.#certify(about, key, serial), about };
  }

  async #prove({ token, proof, node, machine, csr }: EnrolRequest, channel: Uint8Array): Promise<Claim> {
    for (const attestor of this.#parts.attestors) {
      const claim = await attestor.attest({ token, proof, node, machine, csr, channel });
      if (claim) return claim;
    }
    throw new Refused('unauthorized', 'the token is of no known kind');
  }

  /** The certificate before counts until this one is used: its answer may be lost. */
  async #next(node: NodeRecord, next: string, shown?: string): Promise<void> {
    const { certificate } = node.spec;
    const serial = certificate?.serial ?? shown;
    const madeAt = new Date().toISOString();
    const state = serial === undefined ? { serial: next, madeAt } : { ...certificate, serial, next, madeAt };
    if (await this.#parts.store.certify(node, state)) return;
    throw new StoreBusy(`${node.namespace}/${node.name} is being written by others`);
  }

  #certify(node: Peer, key: KeyObject, serial: string): EnrolReply {
    const authority = this.#parts.authority();
    const { certificate, expiresAt } = authority.sign(
      {
        use: 'client',
        // RFC 5280 allows 64 characters; the URI has the full name.
        name: node.name.slice(0, 64),
        organization: 'slipway:nodes',
        uri: peerUri(node),
        publicKey: key,
        serial,
      },
      this.#parts.certificateMs,
    );
    return {
      version: ENROLMENT_VERSION,
      certificate,
      ca: this.#parts.trusted(),
      expiresAt: expiresAt.toISOString(),
    };
  }
}

function bearerOf({ namespace, name, spec }: NodeRecord): Peer {
  return { namespace, name, binding: spec.keyDigest };
}

const ANEW = 'A policy wants a fresh proof of the TPM for each certificate: set report.controller.tpm.';

export const WRONG_MACHINE =
  'The certificate on this machine was given to another one: its disk was probably copied. Remove /var/lib/slipway from the image.';

function csrKey(csr: string): KeyObject {
  try {
    return readCsrKey(csr);
  } catch (error) {
    throw new Refused('bad-request', (error as Error).message);
  }
}
