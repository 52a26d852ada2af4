import { buffer } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { armor, Decrypter, type Identity, type Stanza } from 'age-encryption';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { readMachineFile } from '../contract/store.ts';

const IDENTITY_FILE = '/etc/slipway/age.key';
const MOST_BYTES = 64 * 1024;
const VERSION = 'age-encryption.org/v1';
const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----';
const END = '-----END AGE ENCRYPTED FILE-----';
const MOST_TYPES = 5;
const MOST_TYPE_LENGTH = 40;

/**
 * Opens what age encrypted for an identity in a file of this machine.
 *
 * @throws SecretError SecretUndecryptable, SecretNotFound (no identity)
 */
export async function openAge(context: StoreContext, sealed: Buffer): Promise<Buffer> {
  const decrypter = await decrypterOf(context);
  const file = withoutArmour(sealed);
  if (!Buffer.from(file.subarray(0, VERSION.length + 1)).equals(Buffer.from(`${VERSION}\n`)))
    throw undecryptable(`it is not age-encrypted (its first line is not ${VERSION})`);
  const content = await decrypter.decrypt(ReadableStream.from([file])).catch((error: unknown) => {
    if (error instanceof SecretError) throw error;
    throw undecryptable('its header is truncated or was changed');
  });
  return buffer(content).catch(() => {
    throw undecryptable('its content is truncated or was changed');
  });
}

async function decrypterOf({ host, spec }: StoreContext): Promise<Decrypter> {
  const paths = spec.settings.age?.identities ?? [IDENTITY_FILE];
  const decrypter = new Decrypter();
  let isIdentityFound = false;
  for (const path of paths) {
    if ((await host.files.stat(path)) === undefined) continue;
    const bytes = await readMachineFile(host, path, MOST_BYTES);
    for (const identity of identitiesIn(bytes.toString('utf8'))) {
      addIdentity(decrypter, identity, path);
      isIdentityFound = true;
    }
  }
  if (!isIdentityFound)
    throw new SecretError(
      'SecretNotFound',
      `this machine has no age identity (${paths.join(', ')})`,
      'The secret exists. Put the identity at one of these paths (mode 0600), or encrypt the secret for a key that the machine has.',
    );
  decrypter.addIdentity(NONE);
  return decrypter;
}

/** One in each line; the others are comments. */
function identitiesIn(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function addIdentity(decrypter: Decrypter, identity: string, path: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch {
    throw undecryptable(`${path} has a line that is not AGE-SECRET-KEY-1...`);
  }
}

/** The decrypter asks its identities in turn. This one is the last, so it is asked only when none of the others fits. */
const NONE: Identity = {
  unwrapFileKey(stanzas) {
    throw undecryptable(
      `it is not encrypted for an identity of this machine (its recipients: ${typesOf(stanzas)})`,
    );
  },
};

/** For people. The file's author chose these words, so they are shortened and shown without control characters. */
function typesOf(stanzas: readonly Stanza[]): string {
  const all = new Set(
    stanzas.map(({ args: [type = ''] }) => type.slice(0, MOST_TYPE_LENGTH).replace(/[^\w.-]/g, '?')),
  );
  const shown = [...all].slice(0, MOST_TYPES).join(', ');
  return all.size > MOST_TYPES ? `${shown} and others` : shown;
}

/** Undoes the armour, if there is one. @throws SecretError */
function withoutArmour(bytes: Buffer): Uint8Array {
  const text = bytes.toString('latin1').trim();
  if (!text.startsWith(BEGIN)) return bytes;
  if (!text.endsWith(END)) throw undecryptable('it is truncated: its last line is missing');
  try {
    return armor.decode(text);
  } catch {
    throw undecryptable('its base64 is truncated or damaged');
  }
}

function undecryptable(cause: string): SecretError {
  return new SecretError('SecretUndecryptable', cause);
}
