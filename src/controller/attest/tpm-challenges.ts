import { randomBytes } from 'node:crypto';
import { type ChallengeReply, type ChallengeRequest, ENROLMENT_VERSION } from '../../protocol/attestation.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { makeCredential } from '../../tpm/crypto/credential.ts';
import { endorsementKeyId } from '../../tpm/evidence/endorsement.ts';
import { checkAttestationKey, ProofError } from '../../tpm/evidence/verify-quote.ts';
import {
  decodePublic,
  type EcArea,
  keyOf,
  nameOf,
  type PublicArea,
  type RsaArea,
} from '../../tpm/objects/public-area.ts';
import { EK_EC } from '../../tpm/objects/templates.ts';
import { MalformedError } from '../../tpm/wire/reader.ts';
import { Refused } from './refused.ts';

/** What was asked, until the answer comes. */
interface Challenge {
  readonly endorsementKey: string;
  readonly ak: PublicArea;
  readonly instance: string;
  readonly csrDigest: Uint8Array;
  readonly channel: Uint8Array;
  readonly secret: Uint8Array;
  readonly nonce: Uint8Array;
  readonly pcrs: readonly number[];
  readonly certificates: Uint8Array | undefined;
  /** The network that it was made for, as an address counts. */
  readonly address: string;
}

interface Waiting extends Challenge {
  /** Milliseconds of a clock that nobody sets. */
  readonly until: number;
  readonly byFirstUse: boolean;
}

/** Which Machine a machine with this endorsement key may be. */
type FindByTpm = (
  endorsementKey: string,
  machine: MachineIdentity,
) => { readonly byFirstUse: boolean } | undefined;

/** A slow TPM needs a second or two between challenge and answer. */
const LIFE_MS = 60_000;
/** More that wait at once are no fleet's boot. */
const MAX_WAITING = 4_096;
/** A machine has one or two. */
const MAX_PER_KEY = 64;
/** What the firmware, the boot loader, the kernel and its command line are measured into. */
const PCRS = Array.from({ length: 16 }, (_, pcr) => pcr);

/**
 * The challenges of this replica. Only it knows them, so no two take the same answer; whoever asks one replica and answers
 * another asks again.
 */
export class TpmChallenges {
  /** The oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #find: FindByTpm;
  readonly #room: number;

  /** @param find the Machine that may be the one with this endorsement key: strangers cost no cryptography */
  constructor(find: FindByTpm, room = MAX_WAITING) {
    this.#find = find;
    this.#room = room;
  }

  /**
   * @param address whom it is for, so that nobody pushes others out
   * @throws Refused
   */
  make(request: ChallengeRequest, channel: Uint8Array, address: string): ChallengeReply {
    const ek = endorsementArea(request.endorsementKey);
    const endorsementKey = readable(() => endorsementKeyId(keyOf(ek)), 'endorsement key');
    const found = this.#find(endorsementKey, request.machine);
    if (!found) throw new Refused('unauthorized', `no Machine names the endorsement key ${endorsementKey}`);
    const ak = attestationArea(request.attestationKey);
    const { csrDigest, machine, certificates } = request;
    if (csrDigest.length !== 32) throw new Refused('bad-request', 'csrDigest is not 32 bytes');
    const [id, secret, nonce] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    this.#forgetOld();
    const { byFirstUse } = found;
    // Whoever knows a public key can ask for it again and again; that takes the place of no other machine's challenge.
    this.#makeRoom(MAX_PER_KEY, (other) => other.endorsementKey === endorsementKey);
    // Keys that nobody named cost their makers nothing, so they leave half of the room to those that are known.
    if (byFirstUse) this.#makeRoom(this.#room / 2, (other) => other.byFirstUse);
    if (this.#waiting.size >= this.#room)
      throw new Refused('slow-down', 'too many challenges wait for an answer', { retryAfterMs: 5_000 });
    this.#waiting.set(id.toString('hex'), {
      ...{ endorsementKey, ak, instance: machine.instance, csrDigest, channel, secret, nonce, pcrs: PCRS },
      ...{ certificates, byFirstUse, address },
      until: performance.now() + LIFE_MS,
    });
    // The Name is computed here: it says that the credential is for this key with these attributes.
    const credential = makeCredential(ek, nameOf(ak), secret);
    return { version: ENROLMENT_VERSION, id, credential, nonce, pcrs: PCRS };
  }

  /** Takes a challenge away before anything of its answer is looked at. @throws Refused */
  spend(id: Uint8Array): Challenge {
    const key = Buffer.from(id).toString('hex');
    const found = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (!found || found.until < performance.now())
      throw new Refused('unauthorized', 'the challenge is not known here (any more)');
    return found;
  }

  /** Where there are as many as may be, the oldest goes of the address that has most: a machine asks for one or two. */
  #makeRoom(most: number, isOne: (other: Waiting) => boolean): void {
    const own = [...this.#waiting].filter(([, other]) => isOne(other));
    if (own.length < most) return;
    const counts = new Map<string, number>();
    for (const [, { address }] of own) counts.set(address, (counts.get(address) ?? 0) + 1);
    const largest = Math.max(...counts.values());
    const oldest = own.find(([, { address }]) => counts.get(address) === largest);
    if (oldest) this.#waiting.delete(oldest[0]);
  }

  /** They are in the order in which they were made. */
  #forgetOld(): void {
    const now = performance.now();
    for (const [id, { until }] of this.#waiting) {
      if (until >= now) return;
      this.#waiting.delete(id);
    }
  }
}

/** Only what a restricted decryption key of the profile may be: another one might open credentials for anybody. */
function endorsementArea(bytes: Uint8Array): RsaArea | EcArea {
  const area = readable(() => decodePublic(bytes), 'endorsement key');
  if (area.type === 'sealed' || !area.storage || area.attributes !== EK_EC.attributes)
    throw new Refused('unauthorized', 'the endorsement key is not made by a known template');
  return area;
}

function attestationArea(bytes: Uint8Array): PublicArea {
  return readable(() => {
    const area = decodePublic(bytes);
    checkAttestationKey(area);
    keyOf(area);
    return area;
  }, 'attestation key');
}

function readable<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedError) throw new Refused('bad-request', `${what}: ${error.message}`);
    if (error instanceof ProofError) throw new Refused('unauthorized', error.message);
    throw error;
  }
}
