import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type DerValue, itemsOf, oidText, TAG } from './der.ts';
import { OID } from './oids.ts';
import { fromSinglePem } from './pem.ts';
import { isNamedCurve, partsOf } from './read-csr.ts';

/** What somebody asks to be certified (PKCS#10, RFC 2986), with nothing left out. */
export interface CertificationRequest {
  /** All attributes of the subject, by object identifier, in their order. */
  readonly subject: readonly { readonly type: string; readonly value: string }[];
  /** Extensions asked for, by object identifier. */
  readonly extensions: readonly { readonly type: string; readonly value: Uint8Array }[];
  /** Other attributes of the request: object identifiers. */
  readonly others: readonly string[];
  readonly key: KeyObject;
}

const TEXTS: readonly number[] = [TAG.utf8String, TAG.printableString, TAG.ia5String];
const HASHES: Readonly<Record<string, readonly [key: 'ec' | 'rsa', hash: string]>> = {
  [OID.ecdsaWithSha256]: ['ec', 'sha256'],
  [OID.ecdsaWithSha384]: ['ec', 'sha384'],
  [OID.ecdsaWithSha512]: ['ec', 'sha512'],
  [OID.sha256WithRsa]: ['rsa', 'sha256'],
  [OID.sha384WithRsa]: ['rsa', 'sha384'],
  [OID.sha512WithRsa]: ['rsa', 'sha512'],
};
/** Bits of an RSA key; what is larger costs its checker too much. */
const RSA_BITS = { least: 2048, most: 8192 };

/**
 * Reads a whole request and checks that its key is a good one (P-256 or P-384 by name, RSA of 2048 to 8192 bits) and has
 * signed it.
 *
 * @param pem one block and nothing else; the caller bounds it
 * @throws Error with the end of a sentence that begins with "the request"
 */
export function readRequest(pem: string): CertificationRequest {
  const { info, algorithm, signature } = partsOf(fromSinglePem('CERTIFICATE REQUEST', pem));
  const [, subject, spki, attributes, ...more] = itemsOf(info);
  if (!subject || !spki || more.length > 0) throw new Error('it has no subject or no key');
  const key = goodKey(spki);
  const [family, hash] = HASHES[oidText(algorithm)] ?? [];
  if (hash === undefined || family !== key.asymmetricKeyType)
    throw new Error('its signature does not use SHA-256, SHA-384 or SHA-512 and the type of its key');
  if (!verify(hash, info.bytes, key, signature)) throw new Error('its signature is not by its own key');
  return { subject: readName(subject), key, ...readAttributes(attributes) };
}

function goodKey(spki: DerValue): KeyObject {
  const [algorithm, bits] = itemsOf(spki);
  const type = oidText(itemsOf(algorithm)[0]);
  if (type === OID.rsaEncryption) checkRsa(bits);
  else if (!isNamedCurve(spki)) throw new Error('its key is neither RSA nor on the curve P-256 or P-384');
  return createPublicKey({ key: Buffer.from(spki.bytes), format: 'der', type: 'spki' });
}

/** Before anything is computed with it. */
function checkRsa(bits: DerValue | undefined): void {
  if (bits?.tag !== TAG.bitString) throw new Error('its key is damaged');
  const [modulus, exponent] = itemsOf(readKey(bits));
  const n = Buffer.from(modulus?.content ?? []).toString('hex');
  const size = n === '' ? 0 : BigInt(`0x${n}`).toString(2).length;
  if (size < RSA_BITS.least || size > RSA_BITS.most)
    throw new Error(`its RSA key has ${size} bits; ${RSA_BITS.least} to ${RSA_BITS.most} are allowed`);
  if ((exponent?.content.length ?? 0) > 4) throw new Error('the exponent of its RSA key is too large');
}

function readKey(bits: DerValue): DerValue {
  const [key, ...more] = itemsOf({ ...bits, tag: TAG.sequence, content: bits.content.subarray(1) });
  if (!key || more.length > 0) throw new Error('its key is damaged');
  return key;
}

function readName(name: DerValue): CertificationRequest['subject'] {
  return itemsOf(name).flatMap((part) =>
    itemsOf(part, TAG.set).map((pair) => {
      const [type, value, ...more] = itemsOf(pair);
      if (!value || more.length > 0 || !TEXTS.includes(value.tag))
        throw new Error('its subject is damaged or has a value that is not text');
      return { type: oidText(type), value: Buffer.from(value.content).toString('utf8') };
    }),
  );
}

function readAttributes(
  attributes: DerValue | undefined,
): Pick<CertificationRequest, 'extensions' | 'others'> {
  const all = (attributes === undefined ? [] : itemsOf(attributes, 0xa0)).map((attribute) => {
    const [type, values] = itemsOf(attribute);
    return { type: oidText(type), values: itemsOf(values, TAG.set) };
  });
  const asked = all.filter(({ type }) => type === OID.extensionRequest).flatMap(({ values }) => values);
  return {
    extensions: asked.flatMap((extensions) => itemsOf(extensions).map(readExtension)),
    others: all.map(({ type }) => type).filter((type) => type !== OID.extensionRequest),
  };
}

function readExtension(extension: DerValue): CertificationRequest['extensions'][number] {
  const items = itemsOf(extension);
  const value = items.at(-1);
  if (value?.tag !== TAG.octetString) throw new Error('it asks for a damaged extension');
  return { type: oidText(items[0]), value: value.content };
}
