import { dataOf } from '../../kit/bytes/data-url.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import { FetchError, fetchBytes } from '../fetch/fetch.ts';
import { SecretError } from '../platform/credentials/secret-error.ts';
import { readMachineFile } from './contract/machine-file.ts';
import { MAX_SECRET_BYTES, type StoreContext } from './contract/store.ts';
import { pathOfFile } from './reference/file-address.ts';
import type { EncryptedReference, OpenerName } from './reference/reference.ts';

/** What is encrypted and armoured is longer than the secret. */
const MOST_BYTES = 2 * MAX_SECRET_BYTES;
const ONE_ANSWER_SECONDS = 60;

type Opener = (context: StoreContext, sealed: Buffer) => Promise<Buffer>;

const OPENERS: Readonly<Record<OpenerName, () => Promise<Opener>>> = {
  age: async () => (await import('./age/age.ts')).openAge,
  jwe: async () => (await import('./jwe/jwe.ts')).openJwe,
  'aws-kms': async () => (await import('./aws/kms.ts')).openByKms,
};

/** What lies encrypted somewhere, in clear. @throws SecretError */
export async function openEncrypted(
  context: StoreContext,
  { opener, place }: EncryptedReference,
): Promise<Buffer> {
  const open = await OPENERS[opener]();
  return open(context, await contentAt(context, place));
}

async function contentAt(context: StoreContext, place: string): Promise<Buffer> {
  const url = new URL(place);
  if (url.protocol === 'data:') return contentOf(url.href);
  if (url.protocol === 'file:') {
    return readMachineFile(context.host, pathOfFile(place) ?? '/', MOST_BYTES);
  }
  return fetched(context, place);
}

/** Only its ciphertext travels, so any server may give it. */
async function fetched({ host, signal, spec }: StoreContext, place: string): Promise<Buffer> {
  const remote = { url: sensitive(place), headers: [], isCompressed: false };
  const settings = {
    authorities: [],
    totalSeconds: ONE_ANSWER_SECONDS,
    ...(spec.proxy ? { proxy: spec.proxy } : {}),
  };
  try {
    return await fetchBytes(host, remote, settings, MOST_BYTES, signal);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new SecretError(error.refused ? 'SecretNotFound' : 'SecretStoreUnreachable', error.message);
  }
}

function contentOf(place: string): Buffer {
  const bytes = dataOf(place);
  if (bytes) return bytes;
  throw new SecretError(
    'SecretUndecryptable',
    'its data: cannot be read: an escape (%) or its base64 is wrong',
  );
}
