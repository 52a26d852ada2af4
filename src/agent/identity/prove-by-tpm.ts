import { createHash } from 'node:crypto';
import {
  CHALLENGE_PATH,
  CHANNEL_BYTES,
  CHANNEL_LABEL,
  type ChallengeReply,
  challengeBody,
  ENROLMENT_VERSION,
  MAX_CERTIFICATES_BYTES,
  readChallengeReply,
  type TpmProof,
} from '../../protocol/attestation.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import type { TpmChannel } from '../../tpm/channel.ts';
import { readProperties } from '../../tpm/commands/capabilities.ts';
import { activateCredential } from '../../tpm/commands/credential.ts';
import { type LoadedKey, withPrimary } from '../../tpm/commands/primary.ts';
import { quote } from '../../tpm/commands/quote.ts';
import { readPcrs } from '../../tpm/commands/read-pcrs.ts';
import { challengeDigest } from '../../tpm/evidence/challenge-digest.ts';
import { encodePublic } from '../../tpm/objects/public-area.ts';
import { AK } from '../../tpm/objects/templates.ts';
import { ALG } from '../../tpm/wire/constants.ts';
import type { Host } from '../host/host.ts';
import { EnrolmentRefused } from './enrolment-refused.ts';
import type { SendRequest } from './send-request.ts';
import { bootLogForProof } from './tpm/boot-log.ts';
import { checkEndorsement, type Endorsement, findEndorsement } from './tpm/endorsement-key.ts';
import { openMachineTpm } from './tpm/open-tpm.ts';
import { toTpmProblem } from './tpm/tpm-problem.ts';

/** Keying material that names the connection. */
const EXPORTER = { label: CHANNEL_LABEL, bytes: CHANNEL_BYTES };

export interface ProofSubject {
  readonly machine: MachineIdentity;
  /** The certificate request that the proof is for, in PEM. */
  readonly csr: string;
}

/**
 * Has the TPM answer the controller's challenge. All that a slow TPM takes long for is done before the controller is asked:
 * the answer has to follow on the same connection.
 *
 * @throws TpmProblem, EnrolmentRefused, WireError, HostError
 */
export async function proveByTpm(
  host: Host,
  path: string,
  what: ProofSubject,
  send: SendRequest,
): Promise<TpmProof> {
  const channel = await openMachineTpm(host, path);
  try {
    const { nvBufferBytes } = await readProperties(channel);
    const endorsement = await findEndorsement(channel, nvBufferBytes);
    const log = await bootLogForProof(host);
    return await withPrimary(channel, endorsement.template, async (ek) => {
      checkEndorsement(endorsement, ek.area);
      return withPrimary(channel, AK, (ak) =>
        answer(channel, { ek, ak, certificates: certificatesOf(endorsement), log }, what, send),
      );
    });
  } catch (error) {
    throw toTpmProblem(error);
  } finally {
    await channel.close();
  }
}

interface Keys {
  readonly ek: LoadedKey;
  readonly ak: LoadedKey;
  readonly certificates: Uint8Array;
}

interface ToSend extends Keys {
  readonly log: Uint8Array | undefined;
}

/** As many as there is room for: the key's own comes first. */
function certificatesOf({ certificate, chain }: Endorsement): Buffer {
  let all = Buffer.alloc(0);
  for (const one of certificate ? [certificate, ...chain] : []) {
    if (all.length + one.raw.length > MAX_CERTIFICATES_BYTES) break;
    all = Buffer.concat([all, one.raw]);
  }
  return all;
}

async function answer(
  channel: TpmChannel,
  { ek, ak, certificates, log }: ToSend,
  what: ProofSubject,
  send: SendRequest,
): Promise<TpmProof> {
  const csrDigest = createHash('sha256').update(what.csr).digest();
  const asked = await askFor(what.machine, csrDigest, { ek, ak, certificates }, send);
  const { reply } = asked;
  const secret = await activateCredential(channel, ek, ak, reply.credential);
  const selection = { bank: ALG.sha256, pcrs: reply.pcrs };
  const values = await readPcrs(channel, selection);
  const signed = challengeDigest({ nonce: reply.nonce, csrDigest, channel: asked.channel });
  return {
    challenge: reply.id,
    opened: secret,
    ...(await quote(channel, ak, signed, selection)),
    values: reply.pcrs.map((pcr) => values.get(pcr) ?? Buffer.alloc(0)),
    ...(log ? { log } : {}),
  };
}

async function askFor(
  machine: MachineIdentity,
  csrDigest: Uint8Array,
  { ek, ak, certificates }: Keys,
  send: SendRequest,
): Promise<{ reply: ChallengeReply; channel: Uint8Array }> {
  const request = challengeBody({
    version: ENROLMENT_VERSION,
    machine,
    csrDigest,
    endorsementKey: encodePublic(ek.area),
    attestationKey: encodePublic(ak.area),
    ...(certificates.length > 0 ? { certificates } : {}),
  });
  const got = await send(CHALLENGE_PATH, Buffer.from(JSON.stringify(request)), EXPORTER);
  if (got.status !== 200) throw new EnrolmentRefused(got, 'tpm');
  return { reply: readChallengeReply(Buffer.from(got.body)), channel: got.exported ?? Buffer.alloc(0) };
}
