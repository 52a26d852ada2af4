import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { readMachineFile } from '../contract/machine-file.ts';
import { SecretError } from '../contract/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { fromBech32 } from './bech32.ts';
import {
  type AgeFile,
  AgeFormatError,
  fromBase64,
  openBox,
  openChunks,
  readAgeFile,
  type Stanza,
  withoutArmour,
} from './file.ts';

const IDENTITY_FILE = '/etc/slipway/age.key';
const PREFIX = 'age-secret-key-';
const MOST_BYTES = 64 * 1024;
const KEY_BYTES = 32;
const FILE_KEY_BYTES = 16;
const NONCE_BYTES = 16;
/** What stands before the 32 bytes of a key of X25519 in PKCS #8 and SPKI (RFC 8410). */
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

/**
 * Opens what age encrypted for a key of X25519 whose identity is a file of the machine.
 *
 * @throws SecretError SecretUndecryptable, SecretNotFound (no identity)
 */
export async function openAge({ host, spec }: StoreContext, sealed: Buffer): Promise<Buffer> {
  const paths = spec.settings.age?.identities ?? [IDENTITY_FILE];
  const identities: Buffer[] = [];
  for (const path of paths) {
    if ((await host.files.stat(path)) === undefined) continue;
    const bytes = await readMachineFile(host, path, MOST_BYTES);
    identities.push(...identitiesIn(bytes.toString('utf8'), path));
  }
  if (identities.length === 0)
    throw new SecretError('SecretNotFound', `this machine has no identity of age (${paths.join(', ')})`);
  try {
    const file = readAgeFile(withoutArmour(sealed));
    return opened(file, identities);
  } catch (error) {
    if (error instanceof AgeFormatError) throw new SecretError('SecretUndecryptable', error.message);
    throw error;
  }
}

/** One in each line; the others are comments. */
function identitiesIn(text: string, path: string): Buffer[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const key = fromBech32(line, PREFIX);
      if (key?.length !== KEY_BYTES)
        throw new SecretError('SecretUndecryptable', `${path} has a line that is no AGE-SECRET-KEY-1...`);
      return key;
    });
}

function opened(file: AgeFile, identities: readonly Buffer[]): Buffer {
  const fileKey = fileKeyOf(file.stanzas, identities);
  if (fileKey === undefined) {
    const types = [...new Set(file.stanzas.map(({ type }) => type.replace(/[^\w.-]/g, '?')))].join(', ');
    throw new AgeFormatError(`it is for none of the identities of this machine (its recipients: ${types})`);
  }
  const mac = createHmac('sha256', derived(fileKey, Buffer.alloc(0), 'header'))
    .update(file.header)
    .digest();
  if (mac.length !== file.mac.length || !timingSafeEqual(mac, file.mac))
    throw new AgeFormatError('its header was changed');
  const nonce = file.payload.subarray(0, NONCE_BYTES);
  if (nonce.length < NONCE_BYTES) throw new AgeFormatError('its content is cut off or was changed');
  return openChunks(file.payload.subarray(NONCE_BYTES), derived(fileKey, nonce, 'payload'));
}

function fileKeyOf(stanzas: readonly Stanza[], identities: readonly Buffer[]): Buffer | undefined {
  for (const { type, args, body } of stanzas) {
    if (type !== 'X25519') continue;
    const share = args.length === 1 ? fromBase64(args[0] ?? '', false) : Buffer.alloc(0);
    if (share.length !== KEY_BYTES || body.length !== FILE_KEY_BYTES + 16)
      throw new AgeFormatError('its header is damaged');
    for (const identity of identities) {
      const key = unwrapped(share, body, identity);
      if (key !== undefined) return key;
    }
  }
  return undefined;
}

function unwrapped(share: Buffer, body: Buffer, identity: Buffer): Buffer | undefined {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, identity]),
    format: 'der',
    type: 'pkcs8',
  });
  const recipient = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
  const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC_DER, share]), format: 'der', type: 'spki' });
  let secret: Buffer;
  try {
    secret = diffieHellman({ privateKey, publicKey });
  } catch {
    // A share of small order: OpenSSL refuses it, as age does.
    return undefined;
  }
  const key = derived(secret, Buffer.concat([share, recipient]), 'age-encryption.org/v1/X25519');
  return openBox(key, Buffer.alloc(12), body);
}

function derived(from: Buffer, salt: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', from, salt, purpose, KEY_BYTES));
}
