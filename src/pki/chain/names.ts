import { type DerValue, itemsOf, oidText, readDer, TAG } from '../der.ts';
import { OID } from '../oids.ts';
import type { CertificateFacts } from './facts.ts';

/** Tags of GeneralName (RFC 5280, 4.2.1.6). */
const [EMAIL, DNS, DIRECTORY] = [0x81, 0x82, 0xa4];
/** As OpenSSL takes a common name for one of a host. */
const HOST = /^[\w-]+(\.[\w-]+)+$/;

/**
 * Why an authority's name constraints (RFC 5280, 4.2.1.10) do not let a certificate below it have its names; undefined where they do. Names of
 * directories are compared. A certificate with a name of any other kind is refused where the authority constrains that kind, as the RFC
 * lets whoever does not process it: endorsement keys have no such names.
 */
export function forbiddenName(
  { constraints }: CertificateFacts,
  below: CertificateFacts,
  isLast: boolean,
): string | undefined {
  if (!constraints) return undefined;
  const { permitted, excluded } = constraints;
  const kinds = new Set([...permitted, ...excluded].map(({ tag }) => tag));
  for (const kind of kindsOf(below, isLast))
    if (kind !== DIRECTORY && kinds.has(kind))
      return 'has a name of a type that an authority constrains and that this check does not support';
  const within = (name: DerValue, bases: readonly DerValue[]): boolean =>
    bases.some((base) => isWithin(name, base));
  const of = (bases: readonly DerValue[]): DerValue[] =>
    bases.filter(({ tag }) => tag === DIRECTORY).map(({ content }) => readDer(content));
  const [allowed, forbidden] = [of(permitted), of(excluded)];
  for (const name of directoryNamesOf(below)) {
    if (within(name, forbidden)) return 'has a name that an authority excludes';
    if (allowed.length > 0 && !within(name, allowed)) return 'has a name that no authority permits';
  }
  return undefined;
}

function directoryNamesOf({ subject, alternativeNames }: CertificateFacts): DerValue[] {
  const others = alternativeNames
    .filter(({ tag }) => tag === DIRECTORY)
    .map(({ content }) => readDer(content));
  return subject.content.length === 0 ? others : [subject, ...others];
}

/** The kinds of names that it has, also those that hide in the subject. */
function kindsOf({ subject, alternativeNames }: CertificateFacts, isLast: boolean): Set<number> {
  const kinds = new Set(alternativeNames.map(({ tag }) => tag));
  for (const part of itemsOf(subject).flatMap((set) => itemsOf(set, TAG.set))) {
    const [type, value] = itemsOf(part);
    const name = oidText(type);
    if (name === OID.emailAddress) kinds.add(EMAIL);
    if (name === OID.commonName && isLast && value && HOST.test(textOf(value))) kinds.add(DNS);
  }
  return kinds;
}

/** Are the parts of `base` the first ones of `name`? */
function isWithin(name: DerValue, base: DerValue): boolean {
  const [own, wanted] = [partsOf(name), partsOf(base)];
  return wanted.every((part, at) => part === own[at]);
}

/** One text for each RelativeDistinguishedName: the same where RFC 5280 (7.1) takes two of them for equal. */
function partsOf(name: DerValue): string[] {
  return itemsOf(name).map((set) =>
    itemsOf(set, TAG.set)
      .map((attribute) => {
        const [type, value] = itemsOf(attribute);
        return `${oidText(type)}=${value ? textOf(value) : ''}`;
      })
      .sort()
      .join('\0'),
  );
}

/** Case and the number of spaces do not count. What is no text counts as it is. */
function textOf({ tag, content, bytes }: DerValue): string {
  const text = decoded(tag, Buffer.from(content));
  return text === undefined
    ? Buffer.from(bytes).toString('hex')
    : text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function decoded(tag: number, content: Buffer): string | undefined {
  switch (tag) {
    case TAG.utf8String:
      return content.toString('utf8');
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.teletexString:
      return content.toString('latin1');
    case TAG.bmpString:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined;
    default:
      return undefined;
  }
}
