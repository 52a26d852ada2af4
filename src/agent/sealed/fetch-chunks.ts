import { PAUSE_MS } from '../../kit/backoff.ts';
import { gunzip } from '../../kit/bytes/gunzip.ts';
import { digest } from '../../kit/digest.ts';
import { codes } from '../../protocol/codes/codes.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import type { ChunkedUserData } from '../document/document.ts';
import { failure } from '../engine/failure.ts';
import { type Host, HostError } from '../host/host.ts';
import { SecretError } from '../platform/credentials/secret-error.ts';
import { SecretStores } from '../stores/open-stores.ts';
import { MAX_DECODED_BYTES } from '../text/limits.ts';
import type { OpenedUserData, OpenResult } from '../userdata/user-data-reference.ts';
import { readSavedUserData, recordDeletion } from './saved-user-data.ts';

/**
 * Gets user data that lie in pieces in a store of secrets, in place of the boothook that would write them to a file. They stay in
 * the store until the bootstrap has succeeded, so a machine that reboots on the way gets them again; then they are deleted there,
 * as the boothook would at once.
 */
export async function fetchChunks(
  host: Host,
  chunked: ChunkedUserData,
  signal: AbortSignal,
): Promise<OpenResult> {
  const known = { digest: digest(chunked.references) };
  const stores = storesOf(host, chunked, signal);
  try {
    const kept = await readSavedUserData(host, known);
    const userData = kept?.userData ?? (await gathered(stores, chunked));
    const spend = () => removeAll(host, chunked, known);
    return { kind: 'opened', userData, ...known, ...(kept?.isSpent ? {} : { spend }) };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    const permanent = codes()[error.code].persistence === 'permanent';
    const why = failure(error.code, `The user data could not be fetched: ${error.message}`);
    return { kind: 'none', permanent, failure: why, ...(permanent ? {} : { waitMs: PAUSE_MS.elsewhere }) };
  } finally {
    await stores.close();
  }
}

function storesOf(host: Host, { endpoint }: ChunkedUserData, signal?: AbortSignal): SecretStores {
  const settings = endpoint === undefined ? {} : { aws: { endpoint } };
  return new SecretStores({ host, spec: { settings }, ...(signal ? { signal } : {}) });
}

async function gathered(stores: SecretStores, { references, isBase64 }: ChunkedUserData): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let left = MAX_DECODED_BYTES;
  for (const reference of references) {
    const piece = await stores.read({ url: sensitive(reference), isCompressed: false });
    left -= piece.length;
    if (left < 0)
      throw new SecretError('SecretUndecryptable', `its chunks have more than ${MAX_DECODED_BYTES} bytes`);
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces);
  const bytes = isBase64 ? Buffer.from(whole.toString('latin1'), 'base64') : whole;
  const found = gunzip(bytes, MAX_DECODED_BYTES);
  if ('bytes' in found) return found.bytes;
  const what = `its ${references.length} chunks together are not gzip, or decompress to more than ${MAX_DECODED_BYTES} bytes`;
  throw new SecretError('SecretUndecryptable', what);
}

/** What somebody deleted before is gone as well. Nothing is deleted that a later start would miss. @throws SecretError; HostError */
async function removeAll(
  host: Host,
  chunked: ChunkedUserData,
  known: Pick<OpenedUserData, 'digest'>,
): Promise<void> {
  if (!(await readSavedUserData(host, known)))
    throw new HostError('the state that later starts need could not be saved', 'EIO');
  const stores = storesOf(host, chunked);
  try {
    for (const reference of chunked.references) {
      await stores.remove(reference).catch((error: unknown) => {
        if (!(error instanceof SecretError && error.code === 'SecretNotFound')) throw error;
      });
    }
    await recordDeletion(host, known);
  } finally {
    await stores.close();
  }
}
