import type { X509Certificate } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import { type CertificateFacts, factsOf } from '../../pki/chain/facts.ts';
import { findPath } from '../../pki/chain/path.ts';
import { ProofError } from './verify-quote.ts';

/** tcg-kp-EKCertificate: what an endorsement key's certificate is for (TCG EK Credential Profile, 3.2.15). */
const EK_USAGE = '2.23.133.8.1';
/** Vendors' certificates have 1,000 to 1,800 bytes. */
const MAX_BYTES = 4096;

/**
 * Checks the way from an endorsement certificate to an authority that somebody trusts (RFC 5280, 6, with the profile's
 * usage). node:crypto's own host checks mean nothing here.
 *
 * @param between certificates from the TPM or from the configuration; they are believed nothing, and those that cannot be read lead nowhere
 * @returns the trusted authority
 * @throws ProofError
 */
export function verifyChain(
  certificate: X509Certificate,
  between: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  now: Date,
): X509Certificate {
  for (const { raw } of [certificate, ...between])
    if (raw.length > MAX_BYTES)
      throw new ProofError(`a certificate of the TPM's chain has more than ${MAX_BYTES} bytes`);
  if (certificate.ca) throw new ProofError("the TPM's certificate is a CA certificate");
  if (!certificate.keyUsage?.includes(EK_USAGE))
    throw new ProofError("the TPM's certificate is not for an endorsement key");
  try {
    const path = findPath(factsOf(certificate.raw), readable(between), readable(trusted), now);
    return path.at(-1)?.x509 ?? certificate;
  } catch (error) {
    if (error instanceof ExpectedError)
      throw new ProofError(`the TPM's certificate proves nothing: ${error.message}`);
    throw error;
  }
}

function readable(certificates: readonly X509Certificate[]): CertificateFacts[] {
  return certificates.flatMap(({ raw }) => {
    try {
      return factsOf(raw);
    } catch {
      return [];
    }
  });
}
