import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { bitString, integer, oid, sequence, setOf, tagged, utf8 } from './der.ts';
import { OID } from './oids.ts';
import { toPem } from './pem.ts';

/** Creates a P-256 key. @returns PKCS#8 in PEM */
export function createKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/**
 * Creates a certificate request (PKCS#10, RFC 2986) for a key, signed with ECDSA and SHA-256.
 *
 * @param privateKey EC key in PEM
 * @param commonName the machine's name for itself; the signer decides the names in the certificate
 * @param organization comes before the name, as kubelets write it
 */
export function createCsr(privateKey: string, commonName: string, organization?: string): string {
  const key = createPrivateKey(privateKey);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const part = (type: string, value: string) => setOf(sequence(oid(type), utf8(value)));
  const name = sequence(
    ...(organization === undefined ? [] : [part(OID.organization, organization)]),
    part(OID.commonName, commonName),
  );
  // The attributes field ([0], constructed) must be there even if it is empty.
  const info = sequence(integer(0), name, spki, tagged(0xa0));
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  return toPem('CERTIFICATE REQUEST', sequence(info, algorithm, bitString(sign('sha256', info, key))));
}
