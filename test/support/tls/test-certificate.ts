import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  TAG,
  tagged,
  time,
  utf8,
} from '../../../src/pki/der.ts';
import { OID } from '../../../src/pki/oids.ts';

export interface TestCertificate {
  /** Common names; an empty one gives an empty name. */
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signedBy: KeyObject;
  /** Default SHA-256. */
  readonly hash?: 'md5' | 'sha1' | 'sha256';
  /** Complete extensions, as `extension` makes them. */
  readonly extensions?: readonly Uint8Array[];
  readonly notAfter?: Date;
}

const SIGNATURES = {
  md5: { rsa: '1.2.840.113549.1.1.4', ec: '' },
  sha1: { rsa: '1.2.840.113549.1.1.5', ec: '1.2.840.10045.4.1' },
  sha256: { rsa: OID.sha256WithRsa, ec: OID.ecdsaWithSha256 },
} as const;

/** A certificate that says whatever a test wants, in DER. Nothing is checked. */
export function testCertificate({
  subject,
  issuer,
  publicKey,
  signedBy,
  hash = 'sha256',
  extensions = [],
  notAfter = new Date(Date.now() + 86_400_000),
}: TestCertificate): Buffer {
  const isEc = signedBy.asymmetricKeyType === 'ec';
  const type = SIGNATURES[hash][isEc ? 'ec' : 'rsa'];
  const algorithm = sequence(oid(type), ...(isEc ? [] : [tagged(TAG.null)]));
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(Uint8Array.of(0x40, ...randomBytes(8))),
    algorithm,
    nameOf(issuer),
    sequence(time(new Date(Date.now() - 86_400_000)), time(notAfter)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tagged(0xa3, sequence(...extensions))] : []),
  );
  return Buffer.from(sequence(body, algorithm, bitString(sign(hash, body, signedBy))));
}

export function nameOf(name: string): Uint8Array {
  return name === '' ? sequence() : sequence(setOf(sequence(oid(OID.commonName), utf8(name))));
}

export function extension(type: string, critical: boolean, value: Uint8Array): Uint8Array {
  const flag = critical ? [tagged(TAG.boolean, Uint8Array.of(0xff))] : [];
  return sequence(oid(type), ...flag, octetString(value));
}

/** @param pathLength undefined: no limit */
export function authorityExtensions(pathLength?: number): Uint8Array[] {
  const limit = pathLength === undefined ? [] : [integer(pathLength)];
  return [
    extension(OID.basicConstraints, true, sequence(tagged(TAG.boolean, Uint8Array.of(0xff)), ...limit)),
    extension(OID.keyUsage, true, bitString(Uint8Array.of(0x06), 1)),
  ];
}

/** By which verifiers tell authorities of one name apart. */
export function keyIdentifiers(own: KeyObject, issuer: KeyObject): Uint8Array[] {
  const [mine, other] = [own, issuer].map((key) =>
    createHash('sha1')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest(),
  ) as [Buffer, Buffer];
  return [
    extension(OID.subjectKeyIdentifier, false, octetString(mine)),
    extension(OID.authorityKeyIdentifier, false, sequence(tagged(0x80, other))),
  ];
}
