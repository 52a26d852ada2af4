import { createHash, type KeyObject } from 'node:crypto';
import { OID } from '../oids.ts';
import { type CertificateFacts, factsOf } from './facts.ts';
import { unusualKey, weakSignature } from './strength.ts';

/** A kubelet's client certificate, and what it has to be. Certificates are in DER. */
interface ShownNode {
  readonly certificate: Uint8Array;
  /** The authority that signed it. */
  readonly authority: Uint8Array;
  readonly nodeName: string;
  /** SHA-256 (hex) of the public keys that may have signed it. */
  readonly authorities: readonly string[];
}

/**
 * The kubelet's public key, if the certificate is that of this Node.
 *
 * @returns a sentence that says what is wrong, without its end, if it is not; it quotes nothing of the certificates
 */
export function keyOfNode(shown: ShownNode, now = Date.now()): KeyObject | string {
  try {
    const above = factsOf(shown.authority);
    const own = factsOf(shown.certificate);
    return objectionTo(own, above, shown, now) ?? own.x509.publicKey;
  } catch {
    return 'a certificate of it cannot be read';
  }
}

function objectionTo(
  own: CertificateFacts,
  above: CertificateFacts,
  { nodeName, authorities }: ShownNode,
  now: number,
): string | undefined {
  for (const facts of [above, own]) {
    const why = unusualKey(facts.key) ?? weakSignature(facts);
    if (why !== undefined) return `a certificate of it ${why}`;
  }
  if (!authorities.includes(publicKeyDigest(above)))
    return "the authority is not in this machine's user data";
  if (!above.isAuthority || !above.maySign) return 'the authority may not sign certificates';
  if (!own.x509.checkIssued(above.x509) || !own.x509.verify(above.x509.publicKey))
    return "the kubelet's certificate is not signed by that authority";
  if (now < own.x509.validFromDate.getTime() || now > own.x509.validToDate.getTime())
    return "the kubelet's certificate is not valid now";
  return isOfNode(own, nodeName) ? undefined : `the kubelet's certificate is not that of Node ${nodeName}`;
}

/** As the API server reads it: exactly one name, and the group of nodes. */
function isOfNode({ x509, isAuthority }: CertificateFacts, nodeName: string): boolean {
  const subject = x509.subject.split('\n');
  const isClient = x509.keyUsage?.includes(OID.clientAuth) ?? false;
  return (
    isClient &&
    !isAuthority &&
    subject.filter((part) => part.startsWith('CN=')).join() === `CN=system:node:${nodeName}` &&
    subject.includes('O=system:nodes')
  );
}

function publicKeyDigest({ x509 }: CertificateFacts): string {
  return createHash('sha256')
    .update(x509.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
