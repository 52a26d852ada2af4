import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exponentAsLongAsModulus } from '../../../test/support/tls/expensive-chain.ts';
import {
  authorityExtensions,
  extension,
  keyIdentifiers,
  nameOf,
  type TestCertificate,
  testCertificate,
} from '../../../test/support/tls/test-certificate.ts';
import { bitString, integer, sequence, tagged, utf8 } from '../der.ts';
import { OID } from '../oids.ts';
import { toPem } from '../pem.ts';
import { factsOf } from './facts.ts';
import { findPath } from './path.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-chains-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const ec = (namedCurve = 'P-256'): Pair => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number): Pair => generateKeyPairSync('rsa', { modulusLength });
const [rootKey, middleKey, leafKey] = [ec(), ec(), ec()];

type Change = Partial<Omit<TestCertificate, 'publicKey' | 'signedBy'>>;

/** root ← middle ← leaf, with what a case changes. */
function chainOf(change: { root?: Change; middle?: Change; leaf?: Change; key?: Pair }) {
  const middle = change.key ?? middleKey;
  const root = testCertificate({
    ...{ subject: 'root', issuer: 'root', publicKey: rootKey.publicKey, signedBy: rootKey.privateKey },
    ...{ extensions: authorityExtensions(), ...change.root },
  });
  const between = testCertificate({
    ...{ subject: 'middle', issuer: 'root', publicKey: middle.publicKey, signedBy: rootKey.privateKey },
    ...{ extensions: authorityExtensions(), ...change.middle },
  });
  const leaf = testCertificate({
    ...{ subject: 'leaf', issuer: 'middle', publicKey: leafKey.publicKey, signedBy: middle.privateKey },
    ...change.leaf,
  });
  return { leaf, between: [between], trusted: [root] };
}
type Chain = ReturnType<typeof chainOf>;

function ours({ leaf, between, trusted }: Chain): string {
  try {
    return `${findPath(factsOf(leaf), between.map(factsOf), trusted.map(factsOf), new Date()).length} certificates`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** At the level that OpenSSL has for TLS. */
function openssl({ leaf, between, trusted }: Chain): boolean {
  const write = (name: string, ders: readonly Buffer[]): string => {
    writeFileSync(join(folder, name), ders.map((der) => toPem('CERTIFICATE', der)).join(''));
    return join(folder, name);
  };
  const untrusted = between.length === 0 ? [] : ['-untrusted', write('between', between)];
  const files = ['-trusted', write('trusted', trusted), ...untrusted];
  const words = ['verify', '-auth_level', '2', '-partial_chain', ...files, write('leaf', [leaf])];
  const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' });
  expect(stderr).not.toMatch(/unable to load|Could not/i);
  return status === 0;
}

const constraints = (tag: 0xa0 | 0xa1, ...bases: Uint8Array[]): Uint8Array =>
  extension(OID.nameConstraints, true, sequence(tagged(tag, ...bases.map((base) => sequence(base)))));
const directory = (name: string): Uint8Array => tagged(0xa4, nameOf(name));
const host = (name: string): Uint8Array => tagged(0x82, Buffer.from(name));
const alternative = (...names: Uint8Array[]): Uint8Array =>
  extension(OID.subjectAltName, false, sequence(...names));
const past = new Date(Date.now() - 3_600_000);

const both: [string, () => Chain, RegExp][] = [
  ['an ordinary one', () => chainOf({}), /^3 certificates/],
  ['one whose intermediate authority is trusted', trustingTheMiddle, /^2 certificates/],
  [
    'one with a path length that is enough',
    () => chainOf({ root: { extensions: authorityExtensions(1) } }),
    /^3/,
  ],
  [
    'an authority that gave itself another key, which counts for no path length',
    selfIssued,
    /^4 certificates/,
  ],
  [
    'one that is longer than the root permits',
    () => chainOf({ root: { extensions: authorityExtensions(0) } }),
    /longer than one of its authorities/,
  ],
  ['one that is longer than an intermediate permits', tooLongBelow, /longer than one of its authorities/],
  ['SHA-1', () => chainOf({ leaf: { hash: 'sha1' } }), /is signed with an algorithm other/],
  [
    'SHA-1 of an intermediate',
    () => chainOf({ middle: { hash: 'sha1' } }),
    /is signed with an algorithm other/,
  ],
  ['MD5', () => chainOf({ key: rsa(2048), leaf: { hash: 'md5' } }), /is signed with an algorithm other/],
  ['SHA-1 of a root, which nobody looks at', () => chainOf({ root: { hash: 'sha1' } }), /^3 certificates/],
  ['a short key', () => chainOf({ key: rsa(1024) }), /fewer than 2048 bits/],
  ['RSA', () => chainOf({ key: rsa(2048) }), /^3 certificates/],
  ['one of no authority', () => chainOf({ middle: { extensions: [] } }), /not lead to a trusted authority/],
  [
    'an authority that may not sign',
    () => chainOf({ middle: { extensions: mayNotSign() } }),
    /not lead to a trusted authority/,
  ],
  ['an authority that has ended', () => chainOf({ middle: { notAfter: past } }), /is not valid at/],
  ['a root that has ended', () => chainOf({ root: { notAfter: past } }), /is not valid at/],
  ['an authority of the same name', otherKey, /not lead to a trusted authority/],
  [
    'an extension that is critical and not known',
    () => chainOf({ leaf: { extensions: [strange()] } }),
    /critical extension that is not known/,
  ],
  ['authorities that signed each other', circle, /not lead to a trusted authority/],
  ['a permitted name', () => constrained(constraints(0xa0, directory('leaf'))), /^3 certificates/],
  [
    'a permitted name in other words',
    () => constrained(constraints(0xa0, directory(' LEAF '))),
    /^3 certificates/,
  ],
  ['no permitted name', () => constrained(constraints(0xa0, directory('other'))), /no authority permits/],
  ['an excluded name', () => constrained(constraints(0xa1, directory('leaf'))), /an authority excludes/],
  [
    'an excluded name in other words',
    () => constrained(constraints(0xa1, directory('LeaF'))),
    /an authority excludes/,
  ],
  ['an excluded other name', () => constrained(constraints(0xa1, directory('other'))), /^3 certificates/],
  [
    'an excluded alternative name',
    () => constrained(constraints(0xa1, directory('tpm')), alternative(directory('tpm'))),
    /an authority excludes/,
  ],
  [
    'no name of a kind that is constrained',
    () => constrained(constraints(0xa0, host('a.example'))),
    /^3 certificates/,
  ],
  [
    'an excluded host',
    () => constrained(constraints(0xa1, host('a.example')), alternative(host('b.a.example'))),
    /of a type that an authority constrains/,
  ],
  [
    'constraints of the root',
    () =>
      chainOf({ root: { extensions: [...authorityExtensions(), constraints(0xa0, directory('other'))] } }),
    /no authority permits/,
  ],
];

it.each(both)('says of %s what openssl says', (_, make, why) => {
  const chain = make();
  expect([ours(chain), openssl(chain)]).toEqual([expect.stringMatching(why), /^\^\d/.test(why.source)]);
});

const stricter: [string, () => Chain, RegExp][] = [
  ['an exponent as long as the modulus', () => chainOf({ key: longExponent() }), /exponent other than 65537/],
  ['a modulus that is longer than any of a maker', () => chainOf({ key: rsa(4160) }), /more than 4096 bits/],
  ['a curve that nobody needs', () => chainOf({ key: ec('brainpoolP256r1') }), /a curve other/],
  ['a chain of more authorities than any of a maker', () => longChain(12), /too long/],
  [
    'a permitted host',
    () => constrained(constraints(0xa0, host('example')), alternative(host('a.example'))),
    /of a type that an authority/,
  ],
];

it.each(stricter)('refuses %s, which openssl takes', (_, make, why) => {
  const chain = make();
  expect([ours(chain), openssl(chain)]).toEqual([expect.stringMatching(why), true]);
});

it('verifies no more than so many signatures, however many authorities have the name', () => {
  const chain = chainOf({});
  const namesakes = Array.from({ length: 40 }, () => {
    const { publicKey } = ec();
    const { privateKey } = rootKey;
    return testCertificate({
      ...{ subject: 'middle', issuer: 'root', publicKey, signedBy: privateKey },
      extensions: authorityExtensions(),
    });
  });
  expect(ours({ ...chain, between: [...namesakes, ...chain.between] })).toMatch(/have the same name/);
});

it.each([
  ['an extension twice', [strange(), strange()], /an extension twice/],
  ['limits in a name constraint', [limited()], /has limits/],
  ['a path length that is none', [negative()], /not a small number/],
])('reads no certificate with %s', (_, extensions, why) => {
  const { leaf } = chainOf({ leaf: { extensions } });
  expect(() => factsOf(leaf)).toThrow(why);
});

function trustingTheMiddle(): Chain {
  const { leaf, between } = chainOf({});
  return { leaf, between: [], trusted: between };
}

function selfIssued(): Chain {
  const next = ec();
  const make = (subject: string, own: Pair, by: Pair, pathLength: number): Buffer =>
    testCertificate({
      ...{ subject, issuer: 'root', publicKey: own.publicKey, signedBy: by.privateKey },
      extensions: [...authorityExtensions(pathLength), ...keyIdentifiers(own.publicKey, by.publicKey)],
    });
  return {
    leaf: chainOf({}).leaf,
    between: [make('middle', middleKey, next, 0), make('root', next, rootKey, 1)],
    trusted: [make('root', rootKey, rootKey, 1)],
  };
}

/** root ← upper (one more at most: none) ← middle ← leaf */
function tooLongBelow(): Chain {
  const upper = ec();
  const { leaf, trusted } = chainOf({});
  const certificates = [
    testCertificate({
      ...{ subject: 'upper', issuer: 'root', publicKey: upper.publicKey, signedBy: rootKey.privateKey },
      extensions: authorityExtensions(0),
    }),
    testCertificate({
      ...{ subject: 'middle', issuer: 'upper', publicKey: middleKey.publicKey, signedBy: upper.privateKey },
      extensions: authorityExtensions(),
    }),
  ];
  return { leaf, between: certificates, trusted };
}

function longChain(length: number): Chain {
  const keys = Array.from({ length }, () => ec());
  const between = keys.map(({ publicKey }, at) =>
    testCertificate({
      ...{
        subject: at === 0 ? 'middle' : `c${at}`,
        issuer: at === length - 1 ? 'root' : `c${at + 1}`,
        publicKey,
      },
      ...{ signedBy: (keys[at + 1] ?? rootKey).privateKey, extensions: authorityExtensions() },
    }),
  );
  const { trusted } = chainOf({});
  const { leaf } = chainOf({ key: keys[0] as Pair });
  return { leaf, between, trusted };
}

function circle(): Chain {
  const other = ec();
  const make = (subject: string, own: Pair, issuer: string, by: Pair): Buffer =>
    testCertificate({
      ...{ subject, issuer, publicKey: own.publicKey, signedBy: by.privateKey },
      extensions: authorityExtensions(),
    });
  const between = [make('middle', middleKey, 'other', other), make('other', other, 'middle', middleKey)];
  return { ...chainOf({}), between };
}

function otherKey(): Chain {
  const { between } = chainOf({ key: ec() });
  return { ...chainOf({}), between };
}

/** Of the intermediate authority; the alternative names are the leaf's. */
function constrained(constraint: Uint8Array, names?: Uint8Array): Chain {
  return chainOf({
    middle: { extensions: [...authorityExtensions(), constraint] },
    ...(names ? { leaf: { extensions: [names] } } : {}),
  });
}

function mayNotSign(): Uint8Array[] {
  const [basic = new Uint8Array()] = authorityExtensions();
  return [basic, extension(OID.keyUsage, true, bitString(Uint8Array.of(0x80), 7))];
}

function longExponent(): Pair {
  const privateKey = exponentAsLongAsModulus(2048);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function strange(): Uint8Array {
  return extension('1.2.3.4', true, utf8('x'));
}

function limited(): Uint8Array {
  const subtree = sequence(directory('a'), tagged(0x80, Uint8Array.of(1)));
  return extension(OID.nameConstraints, true, sequence(tagged(0xa0, subtree)));
}

function negative(): Uint8Array {
  return extension(
    OID.basicConstraints,
    true,
    sequence(tagged(0x01, Uint8Array.of(0xff)), integer(Uint8Array.of(1, 0))),
  );
}
