import { createHash } from 'node:crypto';

/** What a challenge ties together (threat model 6 and 9). */
interface Challenged {
  /** Random, of whoever asks; used once. */
  readonly nonce: Uint8Array;
  /** SHA-256 of the certificate request, as text, that the certificate is to be for. */
  readonly csrDigest: Uint8Array;
  /** Exported keying material of the TLS connection (RFC 9266): the same on both of its ends and nowhere else. */
  readonly channel: Uint8Array;
}

/** What the TPM has to sign in its quote, and so what one answer is good for: one challenge, one key, one connection. */
export function challengeDigest({ nonce, csrDigest, channel }: Challenged): Buffer {
  return createHash('sha256')
    .update('slipway enrolment by TPM v1\0')
    .update(nonce)
    .update(csrDigest)
    .update(channel)
    .digest();
}
