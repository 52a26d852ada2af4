import type { FetchSettings, RemoteContent } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { FetchError, fetchRemote } from './fetch.ts';

/**
 * Fetches something small into memory, decompressed and compared with its hash.
 *
 * @throws FetchError, also where it has more than `most` bytes
 */
export async function fetchBytes(
  host: Host,
  remote: RemoteContent,
  settings: FetchSettings,
  most: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  await fetchRemote(host, remote, settings, async (piece) => {
    size += piece.length;
    if (size > most) throw new FetchError(`gives more than ${most} bytes`, true);
    pieces.push(piece);
  });
  return Buffer.concat(pieces);
}
