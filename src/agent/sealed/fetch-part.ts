import { dataOf } from '../../kit/bytes/data-url.ts';
import { MAX_SEALED_DATA_BYTES } from '../../protocol/sealed-stub.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import { FetchError, fetchBytes } from '../fetch/fetch.ts';
import type { Host } from '../host/host.ts';
import { SealedProblem } from './sealed-problem.ts';

const SECONDS = 60;

/** A sealed part that lies in the stub or on a server: it is worth nothing without its key. @throws SealedProblem */
export async function fetchPart(host: Host, place: string): Promise<Buffer> {
  if (place.startsWith('data:')) return dataOf(place) ?? Buffer.alloc(0);
  const remote = { url: sensitive(place), headers: [], isCompressed: false };
  const settings = { authorities: [], totalSeconds: SECONDS };
  try {
    return await fetchBytes(host, remote, settings, MAX_SEALED_DATA_BYTES);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new SealedProblem('SealedDataUnreachable', `the sealed part: ${error.message}`);
  }
}
