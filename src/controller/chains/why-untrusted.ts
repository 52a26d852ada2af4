import { X509Certificate } from 'node:crypto';
import { endorsementKeyId, readChain } from '../../tpm/evidence/endorsement.ts';
import { verifyChain } from '../../tpm/evidence/verify-chain.ts';
import { ProofError } from '../../tpm/evidence/verify-quote.ts';

/** Whether a key is of a maker that somebody trusts. */
export interface ChainQuestion {
  readonly key: string;
  /** Of the key and of those above it, DER one after the other. */
  readonly certificates: Uint8Array;
  /** In DER. */
  readonly authorities: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @returns undefined where it is */
export function whyUntrusted({ key, certificates, authorities, now }: ChainQuestion): string | undefined {
  try {
    const [first, ...between] = readChain(certificates);
    if (!first) return DAMAGED;
    // Certificates are no secret: anybody can show that of another's TPM.
    if (endorsementKeyId(first.publicKey) !== key) return 'the certificate that it shows is of another key';
    const trusted = authorities.map((der) => new X509Certificate(der));
    verifyChain(first, between, trusted, new Date(now));
    return undefined;
  } catch (error) {
    return error instanceof ProofError ? error.message : DAMAGED;
  }
}

const DAMAGED = 'its certificate is damaged';
