import type { TpmProof } from '../../protocol/attestation.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import type { Attestor, Claim } from '../attest/attestor.ts';
import type { CertificateChecker } from '../attest/certificate-checker.ts';
import { WRONG_MACHINE } from '../attest/enrolment.ts';
import { enrolmentOf, type HolderParts } from '../attest/holders.ts';
import { admissionRefusal, type Judge } from '../attest/judge.ts';
import type { FoundMachine, MachineFinder } from '../attest/machine-finder.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { MachineTie, NodeRecord } from '../model/node-record.ts';
import { StoreBusy } from '../store/store.ts';

interface FreshProofParts {
  readonly bearers: Pick<CertificateChecker, 'admit'>;
  readonly ties: MachineFinder;
  readonly judge: Pick<Judge, 'judge'>;
  /** Judges the proof by a TPM. */
  readonly tpm: Attestor;
  /** Writes how a node's Machine is known now; undefined if somebody wrote meanwhile. */
  readonly retie: NonNullable<HolderParts['retie']>;
}

/** What a machine shows, beside its certificate, to get what it asks for. */
interface Shown {
  readonly machine: MachineIdentity;
  readonly proof?: TpmProof;
}

/** What the proof has to be for. */
export interface Purpose {
  /** Whose digest the challenge was made for. */
  readonly text: string;
  /** Names the connection (RFC 9266). */
  readonly channel: Uint8Array;
  /** The code that a machine gets which did not prove itself. */
  readonly code: Code;
}

/** Whether the machine with a certificate is its Machine, now: what a machine gets that nobody else may have. */
export class FreshProofs {
  readonly #parts: FreshProofParts;

  constructor(parts: FreshProofParts) {
    this.#parts = parts;
  }

  /** @throws Refused, StoreBusy */
  async of(
    shown: Shown,
    peer: PresentedPeer,
    purpose: Purpose,
  ): Promise<{ node: NodeRecord; machine: MachineTie }> {
    const node = await this.#parts.bearers.admit(peer);
    const held = this.#proved(node, shown, purpose);
    const claim = await this.#claim(node, held, shown, purpose);
    const { found, policies } = await this.#judge(claim, shown, purpose);
    if (found.tie.by === held.by) return { node, machine: found.tie };
    // Somebody has come to vouch for its key: others have to know that, too.
    const after = await this.#parts.retie(node, found.tie, enrolmentOf(claim, found, policies));
    if (after) return { node: after, machine: found.tie };
    throw new StoreBusy(`${node.namespace}/${node.name} is being written by others`);
  }

  /** The Machine that this node is, by more than a claim. @throws Refused */
  #proved({ namespace, name, spec }: NodeRecord, { machine }: Shown, { code }: Purpose): MachineTie {
    if (spec.instance !== machine.instance)
      throw new Refused('forbidden', 'the certificate is of another machine', { words: WRONG_MACHINE });
    const barred = admissionRefusal(spec.admission);
    if (barred) throw barred;
    const tie = spec.machine;
    if (!tie || tie.by === 'name' || tie.by === 'providerID')
      throw refused(`${namespace}/${name} only claims to be a Machine`, code, CLAIMED);
    if (tie.by === 'lateToken') throw refused(`${namespace}/${name} enrolled late`, code, LATE);
    const why = this.#parts.ties.objection(spec);
    if (why !== undefined) throw refused(`${namespace}/${name}: ${why}`, code, `${why}.`);
    return tie;
  }

  /** The same TPM, now, for this purpose and on this connection; a token was proof enough once. @throws Refused */
  async #claim(
    { namespace, spec }: NodeRecord,
    tie: MachineTie,
    { proof, machine }: Shown,
    { text, channel, code }: Purpose,
  ): Promise<Claim> {
    if (tie.by === 'token') return { method: spec.enrolment.method, namespace, machineUid: tie.uid };
    if (!proof) throw refused(`Machine ${tie.name} came without a fresh proof`, code, ANEW);
    const evidence = { token: undefined, proof, machine, csr: text, channel };
    const claim: Claim | undefined = await this.#parts.tpm.attest(evidence);
    const isSame = claim?.machineUid === tie.uid && claim.endorsementKey === spec.enrolment.endorsementKey;
    if (!claim || !isSame)
      throw refused(`another TPM answers for Machine ${tie.name}`, 'EndorsementKeyForeign', FOREIGN);
    return claim;
  }

  /**
   * Policies hold of what it is now, and has booted into.
   *
   * @returns how its Machine is known now: its key may have been named, listed or certified since it enrolled, or no longer be
   * @throws Refused
   */
  async #judge(
    claim: Claim,
    { machine }: Shown,
    { code }: Purpose,
  ): Promise<{ found: FoundMachine; policies: readonly string[] | undefined }> {
    const found = this.#parts.ties.find(claim, machine);
    if (!found) throw refused('its Machine is gone', code, 'Its Machine is gone.');
    const { name, by } = found.tie;
    if (by !== 'tpm' && by !== 'token')
      throw refused(`nobody vouches for the TPM of Machine ${name}`, code, FIRST_USE);
    const judged = await this.#parts.judge.judge(claim, machine, found);
    return { found, policies: judged?.policies };
  }
}

function refused(message: string, reason: Code, words: string): Refused {
  return new Refused('forbidden', message, { words, reason });
}

const LATE =
  'This machine enrolled when its Machine had its Node already. It may report, and gets nothing else: somebody may have copied its token. A machine that proves itself by its TPM gets more.';
const CLAIMED =
  'This machine only says which Machine it is. Let it prove that, by its TPM (slipway.dev/endorsement-key) or the token of its Machine.';
const FIRST_USE =
  'The controller knows this machine by first use only, and nobody vouches that its key is that of a TPM. Compare the key with slipway identity on the machine, then name it (slipway.dev/endorsement-key on the Machine), or list or certify it in the NodeIdentityPolicy (endorsementKeys).';
const ANEW = 'This machine enrolled by its TPM, and has to prove itself by it each time.';
const FOREIGN = 'Another TPM answered than the one that this machine enrolled by.';
