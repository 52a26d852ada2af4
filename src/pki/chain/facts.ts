import { X509Certificate } from 'node:crypto';
import { type DerValue, itemsOf, oidText, readDer, TAG } from '../der.ts';
import { OID } from '../oids.ts';

/** What a certificate says of its key, by which its cost and strength are known before anything is computed with it. */
export type KeyFacts =
  | { readonly kind: 'rsa'; readonly bits: number; readonly exponent: bigint }
  /** The object identifier of a named curve. */
  | { readonly kind: 'ec'; readonly curve: string }
  | { readonly kind: 'other' };

/** What counts of a certificate in a chain (RFC 5280, 4). */
export interface CertificateFacts {
  readonly x509: X509Certificate;
  /** Complete names, in DER. */
  readonly subject: DerValue;
  readonly issuer: DerValue;
  readonly key: KeyFacts;
  /** AlgorithmIdentifier of the signature. */
  readonly signature: DerValue;
  readonly isAuthority: boolean;
  /** How many certificates of authorities may stand between it and the last one. */
  readonly pathLength: number | undefined;
  /** False where it says what its key is for, and that does not include certificates. */
  readonly maySign: boolean;
  /** GeneralNames of the subject. */
  readonly alternativeNames: readonly DerValue[];
  readonly constraints: NameConstraints | undefined;
  /** Object identifiers of critical extensions that nobody here understands. */
  readonly unknown: readonly string[];
}

/** GeneralNames, each the base of a subtree. */
interface NameConstraints {
  readonly permitted: readonly DerValue[];
  readonly excluded: readonly DerValue[];
}

/** Critical extensions that are understood here, or that only narrow what nobody asks for (policies, as long as none is demanded). */
const UNDERSTOOD: readonly string[] = [
  OID.keyUsage,
  OID.subjectAltName,
  OID.basicConstraints,
  OID.nameConstraints,
  OID.extendedKeyUsage,
  OID.certificatePolicies,
  OID.policyMappings,
  OID.policyConstraints,
  OID.inhibitAnyPolicy,
  OID.crlDistributionPoints,
];

/** keyCertSign, the sixth bit from the left. */
const KEY_CERT_SIGN = 0x04;

/** @throws Error where it is none, or says something twice or in no form that RFC 5280 has */
export function factsOf(der: Uint8Array): CertificateFacts {
  const [body, signature, bits, ...more] = itemsOf(readDer(der));
  const items = itemsOf(body);
  const [version, , algorithm, issuer, , subject, spki, ...optional] = items;
  if (!signature || bits?.tag !== TAG.bitString || more.length > 0)
    throw new Error('it does not have three parts');
  if (version?.tag !== 0xa0 || !issuer || !subject || !spki)
    throw new Error('its version does not allow extensions');
  if (!algorithm || Buffer.compare(algorithm.bytes, signature.bytes) !== 0)
    throw new Error('it names two algorithms for one signature');
  const extensions = extensionsOf(optional.find(({ tag }) => tag === 0xa3));
  const value = (type: string): DerValue | undefined => extensions.get(type)?.value;
  return {
    ...{ x509: new X509Certificate(der), subject, issuer, signature, key: keyOf(spki) },
    ...basicConstraintsOf(value(OID.basicConstraints)),
    maySign: maySign(value(OID.keyUsage)),
    alternativeNames: value(OID.subjectAltName) ? itemsOf(value(OID.subjectAltName)) : [],
    constraints: constraintsOf(value(OID.nameConstraints)),
    unknown: [...extensions]
      .filter(([type, { isCritical }]) => isCritical && !UNDERSTOOD.includes(type))
      .map(([type]) => type),
  };
}

function extensionsOf(
  value: DerValue | undefined,
): Map<string, { readonly isCritical: boolean; readonly value: DerValue }> {
  const found = new Map<string, { isCritical: boolean; value: DerValue }>();
  if (!value) return found;
  for (const item of itemsOf(itemsOf(value, 0xa3)[0])) {
    const [type, ...rest] = itemsOf(item);
    const content = rest.pop();
    const [critical, ...more] = rest;
    const name = oidText(type);
    if (content?.tag !== TAG.octetString || more.length > 0 || (critical && critical.tag !== TAG.boolean))
      throw new Error('an extension is damaged');
    if (found.has(name)) throw new Error('it has an extension twice');
    found.set(name, { isCritical: isTrue(critical), value: readDer(content.content) });
  }
  return found;
}

function basicConstraintsOf(
  value: DerValue | undefined,
): Pick<CertificateFacts, 'isAuthority' | 'pathLength'> {
  const items = value ? itemsOf(value) : [];
  const flag = items.find(({ tag }) => tag === TAG.boolean);
  const limit = items.find(({ tag }) => tag === TAG.integer);
  if (limit && (limit.content.length !== 1 || (limit.content[0] ?? 0x80) >= 0x80))
    throw new Error('its path length is not a small number');
  return { isAuthority: isTrue(flag), pathLength: limit?.content[0] };
}

function maySign(value: DerValue | undefined): boolean {
  if (!value) return true;
  if (value.tag !== TAG.bitString) throw new Error('its key usage is damaged');
  return ((value.content[1] ?? 0) & KEY_CERT_SIGN) !== 0;
}

function constraintsOf(value: DerValue | undefined): NameConstraints | undefined {
  if (!value) return undefined;
  const subtrees = (tag: number): DerValue[] => {
    const found = itemsOf(value).find((item) => item.tag === tag);
    return found ? itemsOf(found, tag).map(baseOf) : [];
  };
  return { permitted: subtrees(0xa0), excluded: subtrees(0xa1) };
}

/** RFC 5280 forbids the limits that a subtree could have. */
function baseOf(subtree: DerValue): DerValue {
  const [base, ...limits] = itemsOf(subtree);
  if (!base || limits.length > 0) throw new Error('a name constraint has limits');
  return base;
}

function keyOf(spki: DerValue): KeyFacts {
  const [algorithm, bits] = itemsOf(spki);
  const [type, parameters] = itemsOf(algorithm);
  const name = oidText(type);
  if (name === OID.ecPublicKey)
    return parameters?.tag === TAG.oid ? { kind: 'ec', curve: oidText(parameters) } : { kind: 'other' };
  if (name !== OID.rsaEncryption || bits?.tag !== TAG.bitString) return { kind: 'other' };
  const [modulus, exponent] = itemsOf(readDer(bits.content.subarray(1)));
  if (modulus?.tag !== TAG.integer || exponent?.tag !== TAG.integer) throw new Error('its key is damaged');
  return { kind: 'rsa', bits: numberOf(modulus).toString(2).length, exponent: numberOf(exponent) };
}

function numberOf({ content }: DerValue): bigint {
  return BigInt(`0x${Buffer.from(content).toString('hex') || '0'}`);
}

function isTrue(value: DerValue | undefined): boolean {
  return value !== undefined && value.content[0] !== 0;
}
