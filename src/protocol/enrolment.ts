/**
 * Enrolment: a token is exchanged for a client certificate whose key was made on the node and never leaves it
 * (`POST /v1/enroll`). A machine that already has a certificate renews it over mutual TLS, without a token.
 */
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { optional, parseBody, textMatching, version, WireError, type WireObject } from './wire.ts';

export const ENROLMENT_VERSION = 1;

/** A request or an answer of the enrolment is never larger. */
export const MAX_ENROLMENT_BYTES = 64 * 1024;

export interface EnrolRequest {
  version: typeof ENROLMENT_VERSION;
  /** Given the first time; absent when a certificate that is still valid speaks for the machine. */
  token?: string;
  /** PKCS#10 in PEM. The controller takes the public key out of it and decides all names by itself. */
  csr: string;
  machine: MachineIdentity;
}

export interface EnrolReply {
  version: typeof ENROLMENT_VERSION;
  /** The client certificate in PEM, followed by intermediates if there are any. */
  certificate: string;
  /** The authority that signed it, in PEM. */
  ca: string;
  /** ISO 8601 in UTC. The node renews when two thirds of the time until then have passed. */
  expiresAt: string;
}

/** One or more PEM blocks and nothing between them. */
const PEM =
  /^(?:-----BEGIN [A-Z0-9 ]{1,40}-----\r?\n[A-Za-z0-9+/=\r\n]+-----END [A-Z0-9 ]{1,40}-----\r?\n?)+$/;
/** Printable, no spaces; 16 characters at least, so that nobody guesses one. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** @throws WireError */
export function readEnrolRequest(bytes: Uint8Array): EnrolRequest {
  const body = parseBody(bytes, MAX_ENROLMENT_BYTES);
  return {
    version: version(body, 'version', ENROLMENT_VERSION),
    ...optional(body, 'token', (from, key) => textMatching(from, key, TOKEN)),
    csr: pem(body, 'csr'),
    machine: readMachine(body),
  };
}

/** @throws WireError */
export function readEnrolReply(bytes: Uint8Array): EnrolReply {
  const body = parseBody(bytes, MAX_ENROLMENT_BYTES);
  return {
    version: version(body, 'version', ENROLMENT_VERSION),
    certificate: pem(body, 'certificate'),
    ca: pem(body, 'ca'),
    expiresAt: textMatching(body, 'expiresAt', TIME),
  };
}

function pem(from: WireObject, key: string): string {
  const value = from[key];
  if (typeof value === 'string' && PEM.test(value)) return value;
  throw new WireError('bad-request', `${key} is not in PEM form`);
}
