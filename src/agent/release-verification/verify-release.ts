import { createHash } from 'node:crypto';
import { readPublicKey, verifySignature } from './minisign.ts';

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
  if (key === undefined) throw new Error('the public key is none of minisign');
  const { comment } = verifySignature(claim.sums, claim.signature, key);
  if (!comment.startsWith(`slipway ${claim.version} `))
    throw new Error(`the signed sums are those of "${comment}", and this is slipway ${claim.version}`);
  const sha256 = createHash('sha256').update(claim.program).digest('hex');
  const name = `slipway-${claim.platform}`;
  const wanted = sumsByName(claim.sums.toString('utf8')).get(name);
  if (wanted === undefined) throw new Error(`the signed sums have no ${name}`);
  if (wanted !== sha256)
    throw new Error(
      `this program is not the ${name} that was released: its SHA-256 is ${sha256}, not ${wanted}`,
    );
  return { sha256, keyId: key.id };
}

function sumsByName(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  );
}
