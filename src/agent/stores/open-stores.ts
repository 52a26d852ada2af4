import { dataOf } from '../../kit/bytes/data-url.ts';
import { gunzip } from '../../kit/bytes/gunzip.ts';
import { hasHash } from '../../kit/digest.ts';
import { at } from '../../kit/json.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import type { RemoteContent } from '../document/document.ts';
import { FetchError, fetchBytes } from '../fetch/fetch.ts';
import { SecretError } from '../platform/credentials/secret-error.ts';
import { MAX_SECRET_BYTES, readMachineFile, type Store, type StoreContext } from './contract/store.ts';
import {
  displayAddress,
  type EncryptedReference,
  type OpenerName,
  pathOfFile,
  readReference,
  type StoredReference,
  type StoreName,
} from './reference/reference.ts';

/** All stores of a document. Each is loaded and opened when the first reference names it, and asked for its credentials once. */
export class SecretStores {
  readonly #context: StoreContext;
  readonly #open = new Map<StoreName, Promise<Store>>();

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** The secret behind a reference, unpacked and held against its hash. @throws SecretError that names the reference */
  async read({
    url,
    isCompressed,
    hash,
  }: Pick<RemoteContent, 'url' | 'isCompressed' | 'hash'>): Promise<Buffer> {
    const address = url.reveal();
    return naming(address, async () => {
      const reference = readReference(address);
      if ('problem' in reference)
        throw new SecretError('SecretNotFound', `the reference ${reference.problem}`, CORRECT);
      const raw =
        reference.kind === 'sealed'
          ? await openEncrypted(this.#context, reference)
          : await this.#readStored(reference);
      const secret = isCompressed ? unzipped(raw) : raw;
      if (secret.length > MAX_SECRET_BYTES)
        throw new SecretError('SecretUndecryptable', `it has more than ${MAX_SECRET_BYTES} bytes`, TOO_LONG);
      if (hash !== undefined && !hasHash(secret, hash))
        throw new SecretError('SecretUndecryptable', 'its hash is not the one in the user data', CHANGED);
      return secret;
    });
  }

  /** @throws SecretError; SecretNotFound where it is gone already */
  async remove(address: string): Promise<void> {
    await naming(address, async () => {
      const reference = readReference(address);
      if ('problem' in reference || reference.kind === 'sealed') return;
      await (await this.#store(reference.store)).remove(reference);
    });
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values()) {
      const store = await opened.catch(() => undefined);
      await store?.close();
    }
    this.#open.clear();
  }

  async #readStored(reference: StoredReference): Promise<Buffer> {
    const whole = await (await this.#store(reference.store)).read(reference);
    const { field, isBase64 } = reference;
    const part = field === undefined ? whole : fieldOf(whole, field);
    return isBase64 ? unencoded(part) : part;
  }

  #store(name: StoreName): Promise<Store> {
    const known = this.#open.get(name);
    if (known) return known;
    const opened = LOADERS[name]().then((open) => open(this.#context));
    this.#open.set(name, opened);
    return opened;
  }
}

const CORRECT = 'Correct the reference in the user data; the secret itself may be correct.';
const TOO_LONG =
  'Check the content of the secret, and whether it is compressed as the user data says; store large content elsewhere.';
const CHANGED =
  'If you changed the secret, update its hash in the user data; otherwise find out who changed it.';

type Open = (context: StoreContext) => Store | Promise<Store>;

const vault = async (): Promise<Open> => (await import('./vault/vault.ts')).openVault;
const aws = async () => await import('./aws/aws-stores.ts');

const LOADERS: Readonly<Record<StoreName, () => Promise<Open>>> = {
  'aws-secretsmanager': async () => (await aws()).openSecretsManager,
  'aws-ssm': async () => (await aws()).openParameters,
  vault,
  'vault-wrapped': vault,
  'azure-keyvault': async () => (await import('./clouds/azure.ts')).openKeyVault,
  'gcp-secretmanager': async () => (await import('./clouds/gcp.ts')).openSecretManager,
};

async function naming<T>(address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new SecretError(error.code, `${displayAddress(address)}: ${error.message}`, error.remedy);
  }
}

/** A value of a JSON object; what is no text stays JSON. */
function fieldOf(whole: Buffer, field: string): Buffer {
  let value: unknown;
  try {
    value = at(JSON.parse(whole.toString('utf8')), field);
  } catch {
    throw new SecretError(
      'SecretNotFound',
      'the reference names a field, but the secret is not a JSON object',
    );
  }
  if (value === undefined || value === null)
    throw new SecretError('SecretNotFound', 'it does not have the field that the reference names');
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function unencoded(text: Buffer): Buffer {
  const compact = text.toString('latin1').replace(/\s+/g, '');
  const bytes = Buffer.from(compact, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== compact.replace(/=+$/, ''))
    throw new SecretError('SecretUndecryptable', 'it is not base64, although the reference says so', CORRECT);
  return bytes;
}

function unzipped(bytes: Buffer): Buffer {
  const found = gunzip(bytes, MAX_SECRET_BYTES);
  if ('bytes' in found) return found.bytes;
  const message = `it is not gzip, or decompresses to more than ${MAX_SECRET_BYTES} bytes`;
  throw new SecretError('SecretUndecryptable', message, TOO_LONG);
}

/** What is encrypted and armoured is longer than the secret. */
const MOST_BYTES = 2 * MAX_SECRET_BYTES;
const ONE_ANSWER_SECONDS = 60;

type Opener = (context: StoreContext, sealed: Buffer) => Promise<Buffer>;

const OPENERS: Readonly<Record<OpenerName, () => Promise<Opener>>> = {
  age: async () => (await import('./age/age.ts')).openAge,
  jwe: async () => (await import('./jwe/jwe.ts')).openJwe,
  'aws-kms': async () => (await import('./aws/aws-stores.ts')).openByKms,
};

/** What lies encrypted somewhere, in clear. @throws SecretError */
async function openEncrypted(context: StoreContext, { opener, place }: EncryptedReference): Promise<Buffer> {
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
    'its data: URL is invalid: an escape (%) or the base64 is wrong',
  );
}
