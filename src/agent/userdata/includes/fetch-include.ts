import { createHash } from 'node:crypto';
import { digest } from '../../../kit/digest.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { INCLUDES_DIR } from '../../document/paths.ts';
import { FetchError, fetchBytes, redactedUrl } from '../../fetch/fetch.ts';
import { type Host, HostError } from '../../host/host.ts';
import { printable } from '../../text/diagnostics.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { INCLUDE_SECONDS } from './limits.ts';

/** Where included texts come from, and where those that are to be fetched once are kept. */
export interface IncludeSource {
  host: Host;
  /** The machine's instance id: another instance fetches anew. */
  instance: string;
  /** A plan keeps nothing. */
  keeps: boolean;
  /** Nothing is asked of anybody; each address has the problem `NOT_READ`. */
  isOffline?: true;
  /** Aborts at the deadline. */
  signal?(): AbortSignal;
}

/** What stands behind a `#` in the address: no server is told of it, and cloud-init passes over it. */
const DIGEST = /^sha(?:256-[0-9a-f]{64}|512-[0-9a-f]{128})$/;

export const NOT_READ = 'is not read without a machine';
/** How a message ends that says so. */
export const NOT_READ_SENTENCE = `${NOT_READ}.`;

/** What an address gives: bytes, or why it will never give any. */
type Included = { bytes: Buffer; name: string } | { problem: string };

/** The included texts cannot be had yet; another try may succeed. */
export class IncludeUnavailable extends FetchError {
  constructor(message: string) {
    super(message, false);
  }
}

/**
 * Reads `file:`, `http:` or `https:`, with or without the memory of an earlier fetch.
 *
 * @throws IncludeUnavailable if the server may answer later
 */
export async function fetchInclude(
  library: IncludeSource,
  address: string,
  isOnce: boolean,
): Promise<Included> {
  const wrong = invalidAddress(address);
  if (wrong !== undefined) return { problem: wrong };
  if (library.isOffline) return { problem: NOT_READ };
  const path = address.startsWith('/') ? address : undefined;
  const url = path === undefined ? new URL(address) : undefined;
  const pinned = url?.hash.startsWith('#sha') ? url.hash.slice(1) : undefined;
  return url === undefined || url.protocol === 'file:'
    ? matching(await fromFile(library, path ?? decodedPath(url?.pathname ?? '')), pinned)
    : fromServer(library, url, isOnce, pinned);
}

/** Why an address will never give anything, whoever is asked; undefined where that cannot be told of it. */
export function invalidAddress(address: string): string | undefined {
  const isPath = address.startsWith('/');
  if (!isPath && !URL.canParse(address))
    return 'is not a URL; use an absolute path, or a file:, http: or https: URL';
  const { protocol, hostname, pathname, hash } = isPath
    ? { protocol: 'file:', hostname: '', pathname: address, hash: '' }
    : new URL(address);
  if (/^#sha/i.test(hash) && !DIGEST.test(hash.slice(1)))
    return 'has a digest that is neither sha256-SUM nor sha512-SUM in lowercase';
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  if (protocol !== 'file:') return `is neither a file nor http or https, but ${printable(protocol)}`;
  if (hostname !== '' && hostname !== 'localhost') return 'names a file on another machine';
  const holdsNul = (isPath ? pathname : decodedPath(pathname)).includes('\0');
  return holdsNul ? 'contains a NUL character, which file names cannot contain' : undefined;
}

/** What the author has pinned by its digest is nothing else, whoever answers and whatever was kept. */
function matching(found: Included, pinned: string | undefined): Included {
  if (pinned === undefined || 'problem' in found) return found;
  const [name = '', sum] = pinned.split('-');
  return createHash(name).update(found.bytes).digest('hex') === sum
    ? found
    : { problem: 'does not match its digest' };
}

/** What people read of an address: no user, no query. */
export function displayAddress(address: string): string {
  if (!URL.canParse(address)) return printable(address.startsWith('/') ? address : 'an address');
  const { protocol, pathname } = new URL(address);
  return printable(protocol === 'file:' ? decodedPath(pathname) : redactedUrl(address));
}

function decodedPath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return pathname;
    throw error;
  }
}

async function fromFile({ host }: IncludeSource, path: string): Promise<Included> {
  try {
    const bytes = await host.files.readIfPresent(path, MAX_RAW_BYTES);
    return bytes === undefined ? { problem: 'names a file that does not exist' } : { bytes, name: path };
  } catch (error) {
    if (error instanceof HostError) return { problem: `could not be read: ${error.message}` };
    throw error;
  }
}

async function fromServer(
  library: IncludeSource,
  url: URL,
  isOnce: boolean,
  pinned: string | undefined,
): Promise<Included> {
  const { host, instance, keeps } = library;
  const name = redactedUrl(url.href);
  const kept = `${INCLUDES_DIR}/${digest([instance, url.href]).slice(0, 32)}`;
  const present = isOnce ? await host.files.readIfPresent(kept, MAX_RAW_BYTES) : undefined;
  if (present !== undefined) return matching({ bytes: present, name }, pinned);
  try {
    const remote = { url: sensitive(url.href), headers: [], isCompressed: false };
    const settings = { authorities: [], totalSeconds: INCLUDE_SECONDS };
    const bytes = await fetchBytes(host, remote, settings, MAX_RAW_BYTES, library.signal?.());
    const found = matching({ bytes, name }, pinned);
    // What is not what it should be is fetched anew the next time.
    if (isOnce && keeps && !('problem' in found))
      await host.files.write(kept, bytes, { mode: 0o600, parentsMode: 0o700 });
    return found;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    if (library.signal?.().aborted)
      throw new IncludeUnavailable(`not all includes of ${name} were fetched before the deadline`);
    if (error.refused) return { problem: `was refused: ${error.message}` };
    throw new IncludeUnavailable(error.message);
  }
}
