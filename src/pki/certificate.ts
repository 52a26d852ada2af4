import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { ipFamily } from '../kit/ip-family.ts';
import {
  bitString,
  boolean,
  integer,
  itemsOf,
  octetString,
  oid,
  readDer,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
} from './der.ts';
import { OID } from './oids.ts';
import { toPem } from './pem.ts';
import { publicBytes } from './public-bytes.ts';

type CertificateUse = 'authority' | 'server' | 'client';

export interface CertificateRequest {
  readonly use: CertificateUse;
  /** Common name. */
  readonly name: string;
  readonly organization?: string;
  /** Host names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly uri?: string;
  readonly publicKey: KeyObject;
  /** In hex, as `newSerial` makes it; default another one each time. */
  readonly serial?: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

interface Issuer {
  /** Common name of the authority. */
  readonly name: string;
  readonly publicKey: KeyObject;
  /** EC P-256. */
  readonly privateKey: KeyObject;
}

/** A certificate in PEM (X.509 v3, RFC 5280), signed by ECDSA with SHA-256. */
export function issue(request: CertificateRequest, issuer: Issuer): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(Buffer.from(request.serial ?? newSerial(), 'hex')),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(request.notBefore), time(request.notAfter)),
    distinguishedName(request.name, request.organization),
    publicBytes(request.publicKey),
    tagged(0xa3, sequence(...extensions(request, issuer))),
  );
  return toPem('CERTIFICATE', sequence(body, algorithm, bitString(sign('sha256', body, issuer.privateKey))));
}

/** A serial number in lower-case hex: 126 random bits that nobody can guess, positive and without a leading zero. */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function distinguishedName(name: string, organization?: string): Uint8Array {
  const part = (type: string, value: string): Uint8Array => setOf(sequence(oid(type), utf8(value)));
  return sequence(
    ...(organization === undefined ? [] : [part(OID.organization, organization)]),
    part(OID.commonName, name),
  );
}

function extensions({ use, publicKey, hosts, uri }: CertificateRequest, issuer: Issuer): Uint8Array[] {
  const authority = use === 'authority';
  const names = [
    ...(hosts ?? []).map(hostName),
    ...(uri === undefined ? [] : [tagged(0x86, Buffer.from(uri, 'ascii'))]),
  ];
  return [
    extension(OID.basicConstraints, true, authority ? sequence(boolean(true), integer(0)) : sequence()),
    // keyCertSign and cRLSign, or digitalSignature; bits count from the left.
    extension(
      OID.keyUsage,
      true,
      authority ? bitString(Uint8Array.of(0x06), 1) : bitString(Uint8Array.of(0x80), 7),
    ),
    ...(authority
      ? []
      : [
          extension(
            OID.extendedKeyUsage,
            false,
            sequence(oid(use === 'server' ? OID.serverAuth : OID.clientAuth)),
          ),
        ]),
    extension(OID.subjectKeyIdentifier, false, octetString(keyIdentifier(publicKey))),
    extension(OID.authorityKeyIdentifier, false, sequence(tagged(0x80, keyIdentifier(issuer.publicKey)))),
    ...(names.length === 0 ? [] : [extension(OID.subjectAltName, false, sequence(...names))]),
  ];
}

function extension(type: string, critical: boolean, value: Uint8Array): Uint8Array {
  return sequence(oid(type), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Method 1 of RFC 5280, 4.2.1.2: SHA-1 of the key's bits. It names the key and protects nothing. */
function keyIdentifier(key: KeyObject): Uint8Array {
  const spki = readDer(publicBytes(key));
  const bits = itemsOf(spki)[1]?.content.subarray(1) ?? new Uint8Array();
  return createHash('sha1').update(bits).digest();
}

function hostName(host: string): Uint8Array {
  const family = ipFamily(host);
  if (family === 4) return tagged(0x87, Uint8Array.from(host.split('.').map(Number)));
  if (family === 6) return tagged(0x87, ipv6Bytes(host));
  return tagged(0x82, Buffer.from(host, 'ascii'));
}

function ipv6Bytes(text: string): Uint8Array {
  // The URL parser writes the canonical form; only `::` remains to be expanded.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((g) => Number.parseInt(g, 16));
  const left = groups(head);
  const right = groups(tail ?? '');
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
