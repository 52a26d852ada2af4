/**
 * Release of sealed user data (`POST /v1/release`): a machine with a certificate gets what was sealed for its Machine. It
 * names nothing: the controller knows which Machine it is. A machine that enrolled by its TPM proves itself anew each time
 * (`POST /v1/enroll/challenge` on the same connection, with the digest of `SECRET_RELEASE_PURPOSE`).
 */
import { ENROLMENT_VERSION, readProof, type TpmProof } from './attestation.ts';
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { asObject, b64, bytes, optional, parseBody, text, textMatching, version } from './wire.ts';

export const SECRET_RELEASE_PATH = '/v1/release';

/** What a challenge is for, in the place of a certificate request: an answer to one is none to the other. */
export const SECRET_RELEASE_PURPOSE = 'slipway release of sealed user data v1';

/** Upper bound of a sealed part: a Secret holds 1 MiB in all. */
export const MAX_SEALED_PART_BYTES = 960 * 1024;
/** Upper bound of an answer. */
export const MAX_SECRET_RELEASE_BYTES = 1536 * 1024;
/** Upper bound of a request. */
export const MAX_SECRET_RELEASE_REQUEST_BYTES = 16 * 1024;

export interface SecretReleaseRequest {
  version: typeof ENROLMENT_VERSION;
  machine: MachineIdentity;
  /** Comes from a machine that enrolled by its TPM. */
  proof?: TpmProof;
}

export interface SecretReleaseReply {
  version: typeof ENROLMENT_VERSION;
  /** `sha256:` and the digest of the sealed part. */
  digest: string;
  /** Absent where the key lies elsewhere. */
  key?: Uint8Array;
  /** Absent where the sealed part lies elsewhere. */
  part?: Uint8Array;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** @throws WireError */
export function readSecretReleaseRequest(body: Uint8Array): SecretReleaseRequest {
  const from = parseBody(body, MAX_SECRET_RELEASE_REQUEST_BYTES);
  return {
    version: version(from, 'version', ENROLMENT_VERSION),
    machine: readMachine(from),
    ...optional(from, 'proof', (of, key) => readProof(of[key])),
  };
}

export function secretReleaseReplyBody({ key, part, ...rest }: SecretReleaseReply): unknown {
  return { ...rest, ...(key ? { key: b64(key) } : {}), ...(part ? { part: b64(part) } : {}) };
}

/** @throws WireError */
export function readSecretReleaseReply(body: Uint8Array): SecretReleaseReply {
  const from = parseBody(body, MAX_SECRET_RELEASE_BYTES);
  return {
    version: version(from, 'version', ENROLMENT_VERSION),
    digest: textMatching(from, 'digest', DIGEST),
    ...optional(from, 'key', (of, key) => bytes(of, key, 32)),
    ...optional(from, 'part', (of, key) => bytes(of, key, MAX_SEALED_PART_BYTES)),
  };
}

/** What a refusal says; nothing of it is believed but its form. */
export function readRefusal(body: string): { words?: string; reason?: string } {
  try {
    const from = asObject(JSON.parse(body), 'the refusal');
    return {
      ...optional(from, 'words', (of, key) => text(of, key, 3072)),
      ...optional(from, 'reason', (of, key) => textMatching(of, key, /^[A-Z][A-Za-z]{1,63}$/)),
    };
  } catch {
    return {};
  }
}
