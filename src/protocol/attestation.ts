/**
 * Enrolment by a TPM (`POST /v1/enroll/challenge`, then `POST /v1/enroll` with the proof, on the same connection): the
 * controller makes a credential that only this TPM can open, and the TPM signs its registers for this one challenge.
 */
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { asObject, b64, bytes, parseBody, version, WireError, type WireObject } from './wire.ts';

/** The version of enrolment as a whole. */
export const ENROLMENT_VERSION = 1;

export const CHALLENGE_PATH = '/v1/enroll/challenge';

/** Upper bound of a challenge's request or reply. */
export const MAX_CHALLENGE_BYTES = 16 * 1024;

/** A key's certificate has some 1,100 bytes, and few have more than two above it. */
export const MAX_CERTIFICATES_BYTES = 8 * 1024;

/** The size of a boot log; the rest of an enrolment has room beside it as base64. */
export const MAX_LOG_BYTES = 7680;

/** Label of the exporter that names a connection (RFC 9266, 4). */
export const CHANNEL_LABEL = 'EXPORTER-Channel-Binding';
export const CHANNEL_BYTES = 32;

export interface ChallengeRequest {
  version: typeof ENROLMENT_VERSION;
  machine: MachineIdentity;
  /** SHA-256 of the certificate request that will follow. */
  csrDigest: Uint8Array;
  /** TPMT_PUBLIC of the endorsement key. */
  endorsementKey: Uint8Array;
  /** TPMT_PUBLIC of the attestation key. */
  attestationKey: Uint8Array;
  /** Certificates of the endorsement key and of those above it, as the TPM has them: DER, one after the other. */
  certificates?: Uint8Array;
}

export interface ChallengeReply {
  version: typeof ENROLMENT_VERSION;
  /** Names the challenge. */
  id: Uint8Array;
  /** Content of a TPM2B_ID_OBJECT and of a TPM2B_ENCRYPTED_SECRET. */
  credential: { blob: Uint8Array; secret: Uint8Array };
  nonce: Uint8Array;
  /** Registers of the bank of SHA-256 that the quote must be of. */
  pcrs: number[];
}

/** What an enrolment carries in the place of a token. */
export interface TpmProof {
  challenge: Uint8Array;
  /** What was in the credential. */
  opened: Uint8Array;
  /** TPMS_ATTEST and TPMT_SIGNATURE. */
  quoted: Uint8Array;
  signature: Uint8Array;
  /** Values of the registers, in the order in which they were asked for. */
  values: Uint8Array[];
  /** What the firmware's boot log says of them, as `encodeCompactLog` has it: it explains them and proves nothing by itself. */
  log?: Uint8Array;
}

const MAX_PCRS = 24;

/** As JSON has it: bytes as base64. */
export function challengeBody(request: ChallengeRequest): unknown {
  const { csrDigest, endorsementKey, attestationKey, certificates, ...rest } = request;
  return {
    ...rest,
    csrDigest: b64(csrDigest),
    endorsementKey: b64(endorsementKey),
    attestationKey: b64(attestationKey),
    ...(certificates ? { certificates: b64(certificates) } : {}),
  };
}

export function challengeReplyBody({ version: v, id, credential, nonce, pcrs }: ChallengeReply): unknown {
  const { blob, secret } = credential;
  return {
    version: v,
    id: b64(id),
    credential: { blob: b64(blob), secret: b64(secret) },
    nonce: b64(nonce),
    pcrs,
  };
}

export function proofBody({ challenge, opened, quoted, signature, values, log }: TpmProof): unknown {
  return {
    challenge: b64(challenge),
    opened: b64(opened),
    quoted: b64(quoted),
    signature: b64(signature),
    values: values.map(b64),
    ...(log ? { log: b64(log) } : {}),
  };
}

/** @throws WireError */
export function readChallengeRequest(body: Uint8Array): ChallengeRequest {
  const from = parseBody(body, MAX_CHALLENGE_BYTES);
  return {
    version: version(from, 'version', ENROLMENT_VERSION),
    machine: readMachine(from),
    csrDigest: bytes(from, 'csrDigest', 32),
    endorsementKey: bytes(from, 'endorsementKey', 1024),
    attestationKey: bytes(from, 'attestationKey', 1024),
    ...(from.certificates === undefined
      ? {}
      : { certificates: bytes(from, 'certificates', MAX_CERTIFICATES_BYTES) }),
  };
}

/** @throws WireError */
export function readChallengeReply(body: Uint8Array): ChallengeReply {
  const from = parseBody(body, MAX_CHALLENGE_BYTES);
  const credential = asObject(from.credential, 'credential');
  const pcrs = from.pcrs;
  const isPcr = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) < MAX_PCRS;
  if (!Array.isArray(pcrs) || pcrs.length > MAX_PCRS || !pcrs.every(isPcr))
    throw new WireError('bad-request', 'pcrs is no list of registers');
  return {
    version: version(from, 'version', ENROLMENT_VERSION),
    id: bytes(from, 'id', 32),
    credential: { blob: bytes(credential, 'blob', 256), secret: bytes(credential, 'secret', 1024) },
    nonce: bytes(from, 'nonce', 32),
    pcrs,
  };
}

/** @throws WireError */
export function readProof(value: unknown): TpmProof {
  const from = asObject(value, 'proof');
  const values = from.values;
  if (!Array.isArray(values) || values.length > MAX_PCRS)
    throw new WireError('bad-request', 'values is no list');
  return {
    challenge: bytes(from, 'challenge', 32),
    opened: bytes(from, 'opened', 32),
    quoted: bytes(from, 'quoted', 1024),
    signature: bytes(from, 'signature', 1024),
    values: values.map((_, at) => bytes(values as unknown as WireObject, String(at), 64)),
    ...(from.log === undefined ? {} : { log: bytes(from, 'log', MAX_LOG_BYTES) }),
  };
}
