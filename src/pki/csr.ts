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
 */
export function createCsr(privateKey: string, commonName: string): string {
  const key = createPrivateKey(privateKey);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const name = sequence(setOf(sequence(oid(OID.commonName), utf8(commonName))));
  // The attributes field ([0], constructed) must be there even if it is empty.
  const info = sequence(integer(0), name, spki, tagged(0xa0));
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  return toPem('CERTIFICATE REQUEST', sequence(info, algorithm, bitString(sign('sha256', info, key))));
}
