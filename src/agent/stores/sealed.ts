import { sensitive } from '../../kit/secrets/sensitive.ts';
import { FetchError, fetchRemote } from '../fetch/fetch.ts';
import { readMachineFile } from './contract/machine-file.ts';
import { SecretError } from './contract/secret-error.ts';
import { MOST_SECRET_BYTES, type StoreContext } from './contract/store.ts';
import { pathOfFile } from './reference/file-address.ts';
import type { OpenerName, SealedReference } from './reference/reference.ts';

/** What is encrypted and armoured is longer than the secret. */
const MOST_BYTES = 2 * MOST_SECRET_BYTES;
const ONE_ANSWER_SECONDS = 60;

type Opener = (context: StoreContext, sealed: Buffer) => Promise<Buffer>;

const OPENERS: Readonly<Record<OpenerName, () => Promise<Opener>>> = {
  age: async () => (await import('./age/age.ts')).openAge,
  jwe: async () => (await import('./jwe/jwe.ts')).openJwe,
  'aws-kms': async () => (await import('./aws/kms.ts')).openByKms,
};

/** What lies encrypted somewhere, in clear. @throws SecretError */
export async function openSealed(context: StoreContext, { opener, place }: SealedReference): Promise<Buffer> {
  const open = await OPENERS[opener]();
  return open(context, await contentAt(context, place));
}

async function contentAt(context: StoreContext, place: string): Promise<Buffer> {
  const url = new URL(place);
  if (url.protocol === 'data:') return dataOf(place);
  if (url.protocol === 'file:') {
    return readMachineFile(context.host, pathOfFile(place) ?? '/', MOST_BYTES);
  }
  return fetched(context, place);
}

/** Only its ciphertext travels, so any server may give it. */
async function fetched({ host, signal, spec }: StoreContext, place: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const sink = async (piece: Uint8Array): Promise<void> => {
    size += piece.length;
    if (size > MOST_BYTES) throw new FetchError(`it has more than ${MOST_BYTES} bytes`, true);
    pieces.push(piece);
  };
  const remote = { url: sensitive(place), headers: [], isCompressed: false };
  const settings = {
    authorities: [],
    totalSeconds: ONE_ANSWER_SECONDS,
    ...(spec.proxy ? { proxy: spec.proxy } : {}),
  };
  try {
    await fetchRemote(host, remote, settings, sink, signal);
    return Buffer.concat(pieces);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new SecretError(error.refused ? 'SecretNotFound' : 'SecretStoreUnreachable', error.message);
  }
}

/** RFC 2397; what is no data is refused by whoever opens it. */
function dataOf(place: string): Buffer {
  const comma = place.indexOf(',');
  const text = place.slice(comma + 1);
  if (/;base64$/i.test(place.slice(0, Math.max(comma, 0)))) return Buffer.from(text, 'base64');
  try {
    return Buffer.from(decodeURIComponent(text), 'utf8');
  } catch {
    throw new SecretError('SecretUndecryptable', 'its data: has an escape (%) that cannot be read');
  }
}
