import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bitString, integer, octetString, oid, sequence, setOf, utf8 } from '../../pki/der.ts';
import { OID } from '../../pki/oids.ts';
import { examine } from './examine.ts';
import {
  BOOTSTRAP,
  dns,
  EC,
  ip,
  requestOf,
  signingRequest,
  TOKEN_GROUP,
  type Wish,
} from './fixtures/requests.ts';
import type { SigningRequest } from './signing-request.ts';

const look = (object: SigningRequest) => examine(object, [TOKEN_GROUP]);
const O = [OID.organization, 'system:nodes'] as const;
const CN = [OID.commonName, 'system:node:n1'] as const;
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const basicConstraints = ['2.5.29.19', sequence(octetString(Uint8Array.of(1)))] as const;

describe('a certificate request', () => {
  it.each([
    ['P-256', EC, 'sha256', OID.ecdsaWithSha256],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'sha384', OID.ecdsaWithSha384],
    ['RSA 2048', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha512', OID.sha512WithRsa],
  ])('is well-formed as a kubelet makes it, with a key of %s', (_, keys, hash, algorithm) => {
    const client = look(signingRequest({ keys, hash, algorithm }, BOOTSTRAP));
    expect(client).toMatchObject({ use: 'client', by: 'bootstrap', node: 'n1', names: [] });
    const serving = look(signingRequest({ keys, hash, algorithm, use: 'serving' }));
    expect(serving).toMatchObject({
      ...{ use: 'serving', by: 'node', node: 'n1', name: 'csr-1', uid: 'uid-csr-1', version: '1' },
      names: [
        { kind: 'dns', value: 'n1' },
        { kind: 'ip', value: '10.0.0.7' },
      ],
    });
  });

  it('is refused in words that act upon no terminal', () => {
    const subject: Wish['subject'] = [O, [OID.commonName, 'system:node:n1\u009b2J\u202e\u{e0041}']];
    const refused = look(signingRequest({ subject }));
    expect(refused).toMatchObject({
      is: 'deny',
      because: expect.stringMatching(/CN=system:node:n1 2J {2}$/),
    });
  });

  it('may leave key encipherment out, as newer kubelets do with keys on curves', () => {
    const usages = ['client auth', 'digital signature'];
    expect(look(signingRequest({}, { usages }))).toMatchObject({ node: 'n1' });
  });

  it.each<[string, Wish, RegExp]>([
    [
      'another organization',
      { subject: [[OID.organization, 'system:masters'], CN] },
      /O=system:masters, CN=/,
    ],
    [
      'bootstrappers',
      { subject: [[OID.organization, 'system:bootstrappers'], CN] },
      /O=system:bootstrappers/,
    ],
    [
      'a second organization',
      { subject: [O, [OID.organization, 'system:masters'], CN] },
      /its subject is not/,
    ],
    ['no organization', { subject: [CN] }, /its subject is not/],
    ['a second name', { subject: [O, CN, [OID.commonName, 'admin']] }, /its subject is not/],
    ['an organizational unit', { subject: [O, CN, ['2.5.4.11', 'x']] }, /2\.5\.4\.11=x/],
    ['a name that is no node', { subject: [O, [OID.commonName, 'admin']] }, /CN=admin/],
    ['a name of nobody', { subject: [O, [OID.commonName, 'system:node:']] }, /its subject is not/],
    ['a name with a path', { subject: [O, [OID.commonName, 'system:node:../n1']] }, /its subject is not/],
    ['a name with an end', { subject: [O, [OID.commonName, 'system:node:n1\0']] }, /its subject is not/],
    ['no subject', { subject: [] }, /it is empty/],
    ['names for a client', { names: [dns('n1')] }, /asks for names \(n1\); a client's certificate has none/],
    ['an authority', { extensions: [basicConstraints] }, /asks for the extension 2\.5\.29\.19/],
    [
      'an authority, serving',
      { use: 'serving', extensions: [basicConstraints] },
      /the extension 2\.5\.29\.19/,
    ],
    [
      'an e-mail address',
      { use: 'serving', names: [[0x81, Buffer.from('a@b')]] },
      /an e-mail address as a name/,
    ],
    ['a URI', { use: 'serving', names: [dns('n1'), [0x86, Buffer.from('spiffe://x')]] }, /a URI as a name/],
    ['nothing to serve', { use: 'serving', names: [] }, /neither a host nor an address/],
    ['an address of 5 bytes', { use: 'serving', names: [ip(1, 2, 3, 4, 5)] }, /not 4 or 16 bytes long/],
    [
      'names twice',
      { use: 'serving', extensions: [[OID.subjectAltName, sequence()]] },
      /it asks for names \(n1, 10\.0\.0\.7\)/,
    ],
    [
      'a password',
      { attributes: [sequence(oid('1.2.840.113549.1.9.7'), setOf(utf8('x')))] },
      /attributes that no kubelet writes: 1\.2\.840\.113549\.1\.9\.7/,
    ],
    ["another's signature", { signer: other.privateKey }, /signature is not by its own key/],
    ['an old hash', { hash: 'sha1', algorithm: '1.2.840.10045.4.1' }, /does not use SHA-256/],
    [
      'a small RSA key',
      { keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) },
      /RSA key has 1024 bits/,
    ],
    ['another curve', { keys: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }) }, /neither RSA nor on/],
    ['a large exponent', { spki: large('exponent') }, /exponent of its RSA key is too large/],
    ['a huge RSA key', { spki: large('modulus') }, /RSA key has 9[0-9]{3} bits/],
  ])('is denied with %s', (_, wish, because) => {
    expect(look(signingRequest(wish))).toEqual({ is: 'deny', because: expect.stringMatching(because) });
  });

  it.each([
    [
      'the usages of a server',
      { usages: ['digital signature', 'key encipherment', 'server auth'] },
      /server auth; those/,
    ],
    [
      'one usage more',
      { usages: ['digital signature', 'key encipherment', 'client auth', 'server auth'] },
      /usages/,
    ],
    ['one twice', { usages: ['digital signature', 'digital signature', 'client auth'] }, /usages/],
    ['any usage', { usages: ['any'] }, /its usages are any/],
    ['none', { usages: [] }, /its usages are none/],
    [
      "another node's name",
      { username: 'system:node:n2' },
      /system:node:n2 asks for a certificate of system:node:n1/,
    ],
    ['two years', { expirationSeconds: 63_072_000 }, /more than a year/],
    ['two blocks', { pem: `${requestOf()}${requestOf({ node: 'n2' })}` }, /not exactly one PEM block/],
    ['something before', { pem: `x\n${requestOf()}` }, /not exactly one PEM block/],
    ['a header', { pem: requestOf().replace('\n', '\nProc-Type: 4\n\n') }, /not exactly one PEM block/],
    ['signs that are no base64', { pem: requestOf().replace('\nMI', '\nM!I') }, /not exactly one PEM block/],
    ['nothing', { pem: '' }, /not exactly one PEM block/],
    ['a megabyte', { pem: requestOf() + 'x'.repeat(1_000_000) }, /more than 16 KiB/],
  ])('is denied with %s', (_, more, because) => {
    expect(look(signingRequest({}, more))).toEqual({ is: 'deny', because: expect.stringMatching(because) });
  });

  it('for serving is denied to a bootstrap token', () => {
    expect(look(signingRequest({ use: 'serving' }, BOOTSTRAP))).toMatchObject({
      ...{ is: 'deny', because: expect.stringMatching(/only the node itself may/) },
    });
  });

  it('is denied where any byte of it is damaged', () => {
    const lines = requestOf({ use: 'serving' }).split('\n');
    const der = Buffer.from(lines.slice(1, -2).join(''), 'base64');
    for (let at = 0; at < der.length; at += 1) {
      const damaged = Buffer.from(der);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      const text = damaged
        .toString('base64')
        .match(/.{1,64}/g)
        ?.join('\n');
      const pem = `${lines[0]}\n${text}\n${lines.at(-2)}\n`;
      expect(look(signingRequest({ use: 'serving' }, { pem })), `byte ${at}`).toMatchObject({ is: 'deny' });
    }
  });

  it.each([
    ['another signer', { signerName: 'kubernetes.io/legacy-unknown' }],
    ['a signer with the name of a method', { signerName: 'constructor' }],
    ['an administrator', { username: 'admin', groups: ['system:masters'] }],
    ['a service account', { username: 'system:serviceaccount:x:y', groups: [TOKEN_GROUP] }],
    ['a token of another group', { ...BOOTSTRAP, groups: ['system:bootstrappers'] }],
    ['somebody with the name of a node', { groups: ['system:authenticated'] }],
  ])('of %s is left alone, whatever it is', (_, more) => {
    expect(look(signingRequest({}, { ...more, pem: 'anything' }))).toMatchObject({ is: 'leave' });
  });
});

/** A key that nobody can make here in time, and whose signature nobody should compute with. */
function large(part: 'modulus' | 'exponent'): Uint8Array {
  const modulus = Buffer.alloc(part === 'modulus' ? 1_150 : 257, 0x55).fill(0x7f, 0, 1);
  const exponent = Buffer.alloc(part === 'exponent' ? 200 : 3, 0x11);
  const key = bitString(sequence(integer(modulus), integer(exponent)));
  return sequence(sequence(oid(OID.rsaEncryption), Uint8Array.of(5, 0)), key);
}
