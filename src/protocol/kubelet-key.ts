/**
 * A kubelet's key (`POST /v1/kubelet-key`): a machine with a certificate proves that the key of a certificate request is its
 * own, before it asks the API server for that certificate. The approver takes no other key then. A machine that enrolled by
 * its TPM proves itself anew for each key (`POST /v1/enroll/challenge` on the same connection, with the digest of
 * `kubeletKeyPurpose`).
 */
import { ENROLMENT_VERSION, readProof, type TpmProof } from './attestation.ts';
import { readPem } from './enrolment.ts';
import type { MachineIdentity } from './events.ts';
import { readMachine } from './read-events.ts';
import { optional, parseBody, version } from './wire.ts';

export const KUBELET_KEY_PATH = '/v1/kubelet-key';

/** Upper bound of a request. */
export const MAX_KUBELET_KEY_BYTES = 16 * 1024;

/** How long a key counts after it was proved; by then the API server has the request for it. */
export const KUBELET_KEY_MS = 15 * 60_000;

export interface KubeletKeyRequest {
  version: typeof ENROLMENT_VERSION;
  machine: MachineIdentity;
  /** PKCS#10 in PEM, signed by the key. */
  csr: string;
  /** Comes from a machine that enrolled by its TPM. */
  proof?: TpmProof;
}

/** What a challenge is for, in the place of a certificate request: an answer for an enrolment is none for this. */
export function kubeletKeyPurpose(csr: string): string {
  return `slipway key of a kubelet v1\n${csr}`;
}

/** @throws WireError */
export function readKubeletKeyRequest(body: Uint8Array): KubeletKeyRequest {
  const from = parseBody(body, MAX_KUBELET_KEY_BYTES);
  return {
    version: version(from, 'version', ENROLMENT_VERSION),
    machine: readMachine(from),
    csr: readPem(from, 'csr'),
    ...optional(from, 'proof', (of, key) => readProof(of[key])),
  };
}
