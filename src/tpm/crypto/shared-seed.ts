import {
  constants,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { type EcArea, FIELD_BYTES, keyOf, padded, type RsaArea } from '../objects/public-area.ts';
import { bytesOf, sized } from '../wire/writer.ts';
import { kdfe } from './key-derivation.ts';

/** What a seed is for. It goes into its derivation, so that one made for another purpose is of no use. */
type SeedPurpose = 'IDENTITY' | 'DUPLICATE' | 'SECRET';

interface SharedSeed {
  readonly seed: Uint8Array;
  /** Content of a TPM2B_ENCRYPTED_SECRET: only the TPM that holds the key gets the seed out of it. */
  readonly secret: Uint8Array;
}

/** Makes a seed that is known here and to the TPM that holds `key` (Part 1, B.10 and C.6). */
export function createSharedSeed(key: RsaArea | EcArea, purpose: SeedPurpose): SharedSeed {
  return key.type === 'rsa' ? byEncryption(key, purpose) : byAgreement(key, purpose);
}

function byEncryption(key: RsaArea, purpose: SeedPurpose): SharedSeed {
  const seed = randomBytes(32);
  const options = {
    key: keyOf(key),
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: 'sha256',
    // The zero byte belongs to the label.
    oaepLabel: Buffer.from(`${purpose}\0`, 'latin1'),
  };
  return { seed, secret: publicEncrypt(options, seed) };
}

function byAgreement(key: EcArea, purpose: SeedPurpose): SharedSeed {
  const length = FIELD_BYTES[key.curve];
  const own = generateKeyPairSync('ec', { namedCurve: key.curve });
  // Length of the result is that of the field, zeros included.
  const shared = diffieHellman({ privateKey: own.privateKey, publicKey: keyOf(key) });
  const { x = '', y = '' } = createPublicKey(own.privateKey).export({ format: 'jwk' });
  const coordinates = [x, y].map((text) => padded(Buffer.from(text, 'base64url'), length));
  const [ownX = Buffer.alloc(0), ownY = Buffer.alloc(0)] = coordinates;
  const seed = kdfe(shared, purpose, ownX, padded(key.x, length), 256);
  return { seed, secret: bytesOf(sized(ownX), sized(ownY)) };
}
