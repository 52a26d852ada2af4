/**
 * Enrolment (`POST /v1/enroll`): a machine exchanges a token for a client certificate. It makes the key
 * itself and never sends it. To renew the certificate it uses mutual TLS and needs no token.
 */
import { ENROLMENT_VERSION, readProof, type TpmProof } from './attestation.ts';
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { TIME } from './validators.ts';
import { optional, parseBody, textMatching, version, WireError, type WireObject } from './wire.ts';

export { ENROLMENT_VERSION } from './attestation.ts';

/** Upper bound of a request or an answer. A stranger costs its receiver no more. */
export const MAX_ENROLMENT_BYTES = 16 * 1024;

export interface EnrolRequest {
  version: typeof ENROLMENT_VERSION;
  /** Only the first time; later the machine's valid certificate speaks for it. */
  token?: string;
  /** In the place of a token: what the machine's TPM answered to a challenge. */
  proof?: TpmProof;
  /** PKCS#10 in PEM. The controller takes only the public key from it and decides all names itself. */
  csr: string;
  machine: MachineIdentity;
}

export interface EnrolReply {
  version: typeof ENROLMENT_VERSION;
  /** The client certificate in PEM, then any intermediates. */
  certificate: string;
  /** The authority that signed it, in PEM. */
  ca: string;
  /** ISO 8601 in UTC. The node renews when two thirds of the time have passed. */
  expiresAt: string;
}

/** One or more PEM blocks with nothing between them. */
const PEM =
  /^(?:-----BEGIN [A-Z0-9 ]{1,40}-----\r?\n[A-Za-z0-9+/=\r\n]+-----END [A-Z0-9 ]{1,40}-----\r?\n?)+$/;
/** Printable, without spaces; at least 16 characters, so that nobody guesses one. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;

/** @throws WireError */
export function readEnrolRequest(bytes: Uint8Array): EnrolRequest {
  const body = parseBody(bytes, MAX_ENROLMENT_BYTES);
  return {
    version: version(body, 'version', ENROLMENT_VERSION),
    ...optional(body, 'token', (from, key) => textMatching(from, key, TOKEN)),
    ...optional(body, 'proof', (from, key) => readProof(from[key])),
    csr: readPem(body, 'csr'),
    machine: readMachine(body),
  };
}

/** @throws WireError */
export function readEnrolReply(bytes: Uint8Array): EnrolReply {
  const body = parseBody(bytes, MAX_ENROLMENT_BYTES);
  return {
    version: version(body, 'version', ENROLMENT_VERSION),
    certificate: readPem(body, 'certificate'),
    ca: readPem(body, 'ca'),
    expiresAt: textMatching(body, 'expiresAt', TIME),
  };
}

/** @throws WireError */
export function readPem(from: WireObject, key: string): string {
  const value = from[key];
  if (typeof value === 'string' && PEM.test(value)) return value;
  throw new WireError('bad-request', `${key} is not in PEM form`);
}
