import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** What a program says of itself, and the release's files that are held against it. */
export interface Claim {
  readonly version: string;
  /** As Node.js writes it, such as `linux-x64`. */
  readonly platform: string;
  readonly program: Uint8Array;
  /** SHA256SUMS of a release. */
  readonly sums: Buffer;
  /** SHA256SUMS.minisig. */
  readonly signature: string;
  /** A minisign public key: the file, or its second line. */
  readonly publicKey: string;
}

/** A program that is what it says. */
interface Verified {
  readonly sha256: string;
  readonly keyId: string;
}

/**
 * Holds a program against the signed sums of the release that it claims to be. The signature's trusted comment names the
 * version, so sums of an older release, though signed, prove nothing for this one.
 *
 * @throws Error with a sentence on what does not hold
 */
export function verifyRelease(claim: Claim): Verified {
  const key = readPublicKey(claim.publicKey);
  if (key === undefined) throw new Error('the public key is not a minisign key');
  const { comment } = verifySignature(claim.sums, claim.signature, key);
  if (!comment.startsWith(`slipway ${claim.version} `))
    throw new Error(`the signed checksums are for "${comment}", and this is slipway ${claim.version}`);
  const sha256 = createHash('sha256').update(claim.program).digest('hex');
  const name = `slipway-${claim.platform}`;
  const wanted = sumsByName(claim.sums.toString('utf8')).get(name);
  if (wanted === undefined) throw new Error(`the signed checksums do not include ${name}`);
  if (wanted !== sha256)
    throw new Error(`this program is not the released ${name}: its SHA-256 is ${sha256}, not ${wanted}`);
  return { sha256, keyId: key.id };
}

function sumsByName(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  );
}

/** How a file starts that says how its second line is to be read; anything may follow. */
const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';
/** An Ed25519 key as a SubjectPublicKeyInfo, before its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** A public key as minisign writes it: `Ed`, eight bytes of key id, 32 bytes of key. */
interface PublicKey {
  /** Hexadecimal digits, as minisign prints it: the bytes in reverse order. */
  readonly id: string;
  readonly key: KeyObject;
}

/**
 * Reads a public key: the file that `minisign -G` writes, or its second line alone.
 *
 * @returns undefined where the text is no such key
 */
function readPublicKey(text: string): PublicKey | undefined {
  const lines = text.trim().split('\n');
  const bytes = fromBase64(lines[0]?.startsWith(UNTRUSTED) ? lines[1] : lines[0]);
  if (bytes?.length !== 42 || bytes.toString('latin1', 0, 2) !== 'Ed') return undefined;
  const key = createPublicKey({
    key: Buffer.concat([SPKI, bytes.subarray(10)]),
    format: 'der',
    type: 'spki',
  });
  return { id: keyId(bytes), key };
}

/** What a signature says that holds. */
interface Signed {
  /** The trusted comment, which is signed as well. */
  readonly comment: string;
}

/**
 * Checks a minisign signature, of the kind that signs the BLAKE2b-512 of a file (since minisign 0.8), and the
 * signature of its trusted comment.
 *
 * @param signature the text of the .minisig file
 * @throws Error with a sentence on why it does not hold
 */
function verifySignature(content: Uint8Array, signature: string, { id, key }: PublicKey): Signed {
  const [untrusted, first, trusted, second] = signature.split('\n');
  const own = fromBase64(first);
  const overAll = fromBase64(second);
  if (!untrusted?.startsWith(UNTRUSTED) || own?.length !== 74 || !trusted?.startsWith(TRUSTED) || !overAll)
    throw new Error('this is not a minisign signature');
  if (own.toString('latin1', 0, 2) !== 'ED')
    throw new Error('the signature has the format of minisign before 0.8; sign again');
  if (keyId(own) !== id) throw new Error(`it is signed by the key ${keyId(own)}, not by ${id}`);
  const bytes = own.subarray(10);
  const comment = trusted.slice(TRUSTED.length);
  if (!verify(null, createHash('blake2b512').update(content).digest(), key, bytes))
    throw new Error('the signature does not match this content: one of the two was changed');
  if (!verify(null, Buffer.concat([bytes, Buffer.from(comment)]), key, overAll))
    throw new Error('its trusted comment was changed');
  return { comment };
}

function keyId(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(2, 10)).reverse().toString('hex').toUpperCase();
}

function fromBase64(text: string | undefined): Buffer | undefined {
  return text !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
