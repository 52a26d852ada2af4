import { type DerValue, itemsOf, oidText } from '../der.ts';
import { OID } from '../oids.ts';
import type { CertificateFacts, KeyFacts } from './facts.ts';

/** Made by hashes that nobody can find collisions of: OpenSSL's security level 2 has the same ones, and SHA-224. */
const SIGNATURES: readonly string[] = [
  OID.sha256WithRsa,
  OID.sha384WithRsa,
  OID.sha512WithRsa,
  OID.ecdsaWithSha256,
  OID.ecdsaWithSha384,
  OID.ecdsaWithSha512,
];
const HASHES: readonly string[] = [OID.sha256, OID.sha384, OID.sha512];
const CURVES: readonly string[] = [OID.prime256v1, OID.secp384r1, OID.secp521r1];

/** Whoever sends a key chooses what it costs to compute with it: one with a longer exponent costs a thousand times as much. */
const EXPONENT = 65_537n;
const BITS = { least: 2_048, most: 4_096 } as const;

/** Why nothing is computed with this key; undefined where it is an ordinary one. */
export function unusualKey(key: KeyFacts): string | undefined {
  if (key.kind === 'ec')
    return CURVES.includes(key.curve) ? undefined : 'has a key on a curve other than P-256, P-384 and P-521';
  if (key.kind === 'other') return 'has a key that is neither RSA nor on a named curve';
  if (key.exponent !== EXPONENT) return `has an RSA key with an exponent other than ${EXPONENT}`;
  if (key.bits > BITS.most) return `has an RSA key with more than ${BITS.most} bits`;
  if (key.bits < BITS.least) return `has an RSA key with fewer than ${BITS.least} bits`;
  return undefined;
}

/** Why its signature proves nothing, whoever made it; undefined where it can. */
export function weakSignature({ signature }: CertificateFacts): string | undefined {
  const [type, parameters] = itemsOf(signature);
  const name = oidText(type);
  if (SIGNATURES.includes(name)) return undefined;
  if (name === OID.rsaPss && HASHES.includes(hashOfPss(parameters))) return undefined;
  return 'is signed with an algorithm other than RSA or ECDSA with SHA-256, SHA-384 or SHA-512';
}

/** RSASSA-PSS-params (RFC 4055, 3.1); SHA-1 where they do not say. */
function hashOfPss(parameters: DerValue | undefined): string {
  const hash = parameters && itemsOf(parameters).find(({ tag }) => tag === 0xa0);
  return hash ? oidText(itemsOf(itemsOf(hash, 0xa0)[0])[0]) : '';
}
