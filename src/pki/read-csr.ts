import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type DerValue, itemsOf, oid, readDer, TAG } from './der.ts';
import { OID } from './oids.ts';
import { fromPem } from './pem.ts';

/** The curves that Slipway accepts for a node's key: P-256 and P-384, by name (RFC 5480, 2.1.1). */
const CURVES = [oid(OID.prime256v1), oid(OID.secp384r1)];
const EC = oid(OID.ecPublicKey);
const ECDSA = { sha256: oid(OID.ecdsaWithSha256), sha384: oid(OID.ecdsaWithSha384) };

/**
 * Reads the public key of a certificate request (PKCS#10, RFC 2986) and checks the request's own signature,
 * which proves that the sender holds the private key. Ignores the names in the request: the controller
 * decides them.
 *
 * @param pem at most a few KiB; the caller bounds it
 * @throws Error with one sentence for the log
 */
export function readCsrKey(pem: string): KeyObject {
  const { info, algorithm, signature } = partsOf(fromPem('CERTIFICATE REQUEST', pem));
  const spki = itemsOf(info)[2];
  if (spki?.tag !== TAG.sequence) throw new Error('the certificate request has no public key');
  if (!isNamedCurve(spki)) {
    throw new Error('the key of the certificate request is not on the named curve P-256 or P-384');
  }
  const key = createPublicKey({ key: Buffer.from(spki.bytes), format: 'der', type: 'spki' });
  if (!verify(hashOf(algorithm.bytes), info.bytes, key, signature)) {
    throw new Error('the signature of the certificate request is not by its own key');
  }
  return key;
}

/** What a request consists of: what is signed, by which algorithm, and the signature. @throws Error */
export function partsOf(der: Uint8Array): { info: DerValue; algorithm: DerValue; signature: Uint8Array } {
  const [info, algorithms, signature, ...more] = itemsOf(readDer(der));
  if (!info || !algorithms || signature?.tag !== TAG.bitString || more.length > 0) {
    throw new Error('the certificate request does not have its three parts');
  }
  const [algorithm] = itemsOf(algorithms);
  if (!algorithm) throw new Error('the certificate request names no algorithm');
  // The first byte of a bit string counts its unused bits; a signature has none.
  if (signature.content[0] !== 0)
    throw new Error('the signature of the certificate request is not a whole number of bytes');
  return { info, algorithm, signature: signature.content.subarray(1) };
}

/**
 * Parameters that are spelt out are refused even where they are those of a known curve (RFC 5480 forbids them): whoever
 * chooses the generator can have a private key for anybody's public key (CVE-2020-0601).
 */
export function isNamedCurve(spki: DerValue): boolean {
  const [type, curve, ...more] = itemsOf(itemsOf(spki)[0]);
  const is = (value: DerValue | undefined, wanted: Uint8Array): boolean =>
    value !== undefined && Buffer.compare(value.bytes, wanted) === 0;
  return is(type, EC) && more.length === 0 && CURVES.some((accepted) => is(curve, accepted));
}

function hashOf(algorithm: Uint8Array): 'sha256' | 'sha384' {
  if (Buffer.compare(algorithm, ECDSA.sha256) === 0) return 'sha256';
  if (Buffer.compare(algorithm, ECDSA.sha384) === 0) return 'sha384';
  throw new Error('the certificate request is not signed with ECDSA and SHA-256 or SHA-384');
}
