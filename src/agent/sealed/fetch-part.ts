import { sensitive } from '../../kit/secrets/sensitive.ts';
import { FetchError, fetchRemote } from '../fetch/fetch.ts';
import type { Host } from '../host/host.ts';
import { SealedProblem } from './sealed-problem.ts';

/** As much as user data may have. */
export const MAX_PART_BYTES = 16 * 1024 * 1024;
const SECONDS = 60;
const DATA = 'data:;base64,';

/** A sealed part that lies in the stub or on a server: it is worth nothing without its key. @throws SealedProblem */
export async function fetchPart(host: Host, place: string): Promise<Buffer> {
  if (place.startsWith(DATA)) return Buffer.from(place.slice(DATA.length), 'base64');
  const pieces: Uint8Array[] = [];
  let size = 0;
  const remote = { url: sensitive(place), headers: [], isCompressed: false };
  try {
    await fetchRemote(host, remote, { authorities: [], totalSeconds: SECONDS }, async (piece) => {
      size += piece.length;
      if (size > MAX_PART_BYTES) throw new FetchError(`it gives more than ${MAX_PART_BYTES} bytes`, true);
      pieces.push(piece);
    });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new SealedProblem('SealedDataUnreachable', `the sealed part: ${error.message}`);
  }
  return Buffer.concat(pieces);
}
