import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { ProofError } from './verify-quote.ts';

/** More would be a labyrinth. */
const MAX_CHAIN = 8;

/** How an endorsement key is named in lists and annotations: `sha256:` and the digest of its SubjectPublicKeyInfo (DER). */
export function endorsementKeyId(key: KeyObject): string {
  const der = key.export({ format: 'der', type: 'spki' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

/**
 * The certificate in what an NV index holds: some vendors put a header of TPM 1.2 before it, and all leave room after it.
 *
 * @throws ProofError if there is none
 */
export function readEkCertificate(content: Uint8Array): X509Certificate {
  const [one, two, , , , three, four] = content;
  const start = one === 0x10 && two === 0x01 && three === 0x10 && four === 0x02 ? 7 : 0;
  const bytes = content.subarray(start);
  const length = bytes[0] === 0x30 && bytes[1] === 0x82 ? 4 + (bytes[2] ?? 0) * 256 + (bytes[3] ?? 0) : 0;
  try {
    return new X509Certificate(bytes.subarray(0, length));
  } catch {
    throw new ProofError("the TPM's certificate is damaged");
  }
}

/**
 * The certificates that lie one after the other in vendors' NV indices, up to the first that cannot be read: what follows the
 * last one is padding, and who lacks a damaged one for the way to an authority is told so.
 */
export function readChain(content: Uint8Array): X509Certificate[] {
  const found: X509Certificate[] = [];
  for (let rest = content; rest[0] === 0x30 && rest[1] === 0x82 && found.length < MAX_CHAIN; ) {
    const length = 4 + (rest[2] ?? 0) * 256 + (rest[3] ?? 0);
    try {
      found.push(new X509Certificate(rest.subarray(0, length)));
    } catch {
      break;
    }
    rest = rest.subarray(length);
  }
  return found;
}

/** @throws ProofError if the certificate is of another key */
export function checkCertifies(certificate: X509Certificate, ek: KeyObject): void {
  if (!certificate.publicKey.equals(ek))
    throw new ProofError("the TPM's endorsement key is not the one in its certificate");
}
