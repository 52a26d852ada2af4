/**
 * Enrolment (`POST /v1/enroll`): a machine exchanges a token for a client certificate. It makes the key
 * itself and never sends it. To renew the certificate it uses mutual TLS and needs no token.
 */
import { createHash } from 'node:crypto';
import { ENROLMENT_VERSION, readProof, type TpmProof } from './attestation.ts';
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { TIME } from './validators.ts';
import {
  asObject,
  b64,
  bytes,
  optional,
  parseBody,
  textMatching,
  version,
  WireError,
  type WireObject,
} from './wire.ts';

export { ENROLMENT_VERSION } from './attestation.ts';

/** Upper bound of a request or an answer. A stranger costs its receiver no more. */
export const MAX_ENROLMENT_BYTES = 16 * 1024;

export interface EnrolRequest {
  version: typeof ENROLMENT_VERSION;
  /** Only the first time; later the machine's valid certificate speaks for it. */
  token?: string;
  /** Beside a token, from a machine that comes when its Machine has its Node already. */
  node?: NodeProof;
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
export function readEnrolRequest(request: Uint8Array): EnrolRequest {
  const body = parseBody(request, MAX_ENROLMENT_BYTES);
  return {
    version: version(body, 'version', ENROLMENT_VERSION),
    ...optional(body, 'token', (from, key) => textMatching(from, key, TOKEN)),
    ...optional(body, 'proof', (from, key) => readProof(from[key])),
    ...optional(body, 'node', (from, key) => readNodeProof(from[key])),
    csr: readPem(body, 'csr'),
    machine: readMachine(body),
  };
}

/** @throws WireError */
export function readEnrolReply(reply: Uint8Array): EnrolReply {
  const body = parseBody(reply, MAX_ENROLMENT_BYTES);
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

const MAX_CERTIFICATE_BYTES = 4096;
const MAX_SIGNATURE_BYTES = 1024;

/**
 * By which a machine whose Machine has its Node already shows, beside its token, that it is that Node. The kubelet's key signs the
 * certificate request and the name of the TLS connection, so the answer is good once and there.
 */
export interface NodeProof {
  /** The kubelet's client certificate, in DER. */
  certificate: Uint8Array;
  /** The authority that signed it, in DER. */
  authority: Uint8Array;
  /** By the kubelet's key, with SHA-256, over `nodeProofText`. */
  signature: Uint8Array;
}

/**
 * What the kubelet's key signs.
 *
 * @param csr the certificate request of the enrolment, in PEM
 * @param channel names the connection (RFC 9266)
 */
export function nodeProofText(csr: string, channel: Uint8Array): Uint8Array {
  const csrDigest = createHash('sha256').update(csr).digest();
  return Buffer.concat([Buffer.from('slipway late enrolment of a node v1\0'), csrDigest, channel]);
}

export function nodeProofBody({ certificate, authority, signature }: NodeProof): unknown {
  return { certificate: b64(certificate), authority: b64(authority), signature: b64(signature) };
}

/** @throws WireError */
function readNodeProof(value: unknown): NodeProof {
  const from = asObject(value, 'node');
  return {
    certificate: bytes(from, 'certificate', MAX_CERTIFICATE_BYTES),
    authority: bytes(from, 'authority', MAX_CERTIFICATE_BYTES),
    signature: bytes(from, 'signature', MAX_SIGNATURE_BYTES),
  };
}
