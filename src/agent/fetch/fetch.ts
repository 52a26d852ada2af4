import { createHash } from 'node:crypto';
import { createGunzip } from 'node:zlib';
import { ExpectedError } from '../../kit/errors.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import type { FetchSettings, RemoteContent } from '../document/document.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpClient, HttpResponse } from '../host/network.ts';
import { isObjectAddress } from './objects/address.ts';
import type { StoreAccess } from './objects/object-request.ts';

/** A bootstrap's deadline ends a fetch earlier. */
const TOTAL_MS = 30 * 60_000;
const MOST_REDIRECTS = 10;
/** Images of system extensions have some hundred MiB. */
const MOST_BYTES = 8 * 1024 ** 3;
/** The authorities of all of Mozilla have a quarter of it. */
const MOST_OF_AUTHORITIES = 1024 * 1024;

/** `refused`: the server's answer will stay the same; otherwise another try may succeed. */
export class FetchError extends ExpectedError {
  override readonly name = 'FetchError';
  readonly refused: boolean;

  constructor(message: string, refused: boolean) {
    super(message);
    this.refused = refused;
  }
}

/** Where to put what comes; told the bytes after they are decompressed. */
type Sink = (piece: Uint8Array) => Promise<void>;

/**
 * Fetches something from a web server or a store of objects, follows its redirects, decompresses it and compares its hash. Only
 * when this resolves is what the sink got known to be right.
 *
 * @throws FetchError; whatever the sink throws
 */
export async function fetchRemote(
  host: Host,
  remote: RemoteContent,
  settings: FetchSettings,
  sink: Sink,
  signal?: AbortSignal,
): Promise<void> {
  const { hash } = remote;
  const [name = '', sum = ''] = hash?.split('-', 2) ?? [];
  const hasher = hash === undefined ? undefined : createHash(name);
  let sunk: unknown;
  const take: Sink = async (piece) => {
    hasher?.update(piece);
    // What the sink says is not about the network.
    await sink(piece).catch((error: unknown) => {
      sunk = error;
      throw error;
    });
  };
  const more = await fetchedAuthorities(host, settings, signal);
  const client = host.network.client(clientOptions(settings, more));
  const pipe = remote.isCompressed ? unzipping(take) : { take, end: async () => undefined };
  try {
    const asking = { host, client, ...(signal ? { signal } : {}) };
    const { at, sayWhy } = await whereabouts(asking, remote);
    await follow(client, at, settings, pipe.take, signal).catch(sayWhy);
    await pipe.end();
  } catch (error) {
    if (sunk !== undefined) throw sunk;
    throw error;
  } finally {
    client.close();
  }
  if (hasher && hasher.digest('hex') !== sum.toLowerCase())
    throw new FetchError(`${redactedUrl(remote.url.reveal())} returned content with a different hash`, true);
}

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
  signal?: AbortSignal,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const sink: Sink = async (piece) => {
    size += piece.length;
    if (size > most)
      throw new FetchError(`${redactedUrl(remote.url.reveal())} returned more than ${most} bytes`, true);
    pieces.push(piece);
  };
  await fetchRemote(host, remote, settings, sink, signal);
  return Buffer.concat(pieces);
}

/** An address without what may be secret: its user, its query. */
export function redactedUrl(url: string): string {
  if (!URL.canParse(url)) return 'an invalid URL';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

const fetched = new WeakMap<FetchSettings, string[]>();

/** Authorities that lie on a server themselves, which the well-known ones must vouch for. */
async function fetchedAuthorities(
  host: Host,
  settings: FetchSettings,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { remoteAuthorities = [], ...rest } = settings;
  const known = fetched.get(settings);
  if (known || remoteAuthorities.length === 0) return known ?? [];
  const found: string[] = [];
  for (const remote of remoteAuthorities) {
    const bytes = await fetchBytes(host, remote, rest, MOST_OF_AUTHORITIES, signal);
    found.push(bytes.toString('utf8'));
  }
  fetched.set(settings, found);
  return found;
}

function clientOptions(
  { proxy, authorities }: FetchSettings,
  more: readonly string[],
): Parameters<Host['network']['client']>[0] {
  const all = [...authorities, ...more];
  return {
    ...(all.length > 0 ? { moreAuthorities: all } : {}),
    ...(proxy
      ? {
          proxy: {
            ...(proxy.http ? { http: proxy.http.reveal() } : {}),
            ...(proxy.https ? { https: proxy.https.reveal() } : {}),
            except: proxy.except.join(','),
          },
        }
      : {}),
  };
}

/** The same server, and no way to it that more can listen to. */
function isOf(first: URL, address: URL): boolean {
  const isSafer = first.protocol === 'http:' && address.protocol === 'https:';
  return address.origin === first.origin || (isSafer && address.hostname === first.hostname);
}

/** A web address as it is, an object of a store by the request that gets it. */
async function whereabouts(
  asking: StoreAccess,
  remote: RemoteContent,
): Promise<{ at: RemoteContent; sayWhy: (error: unknown) => never }> {
  const address = remote.url.reveal();
  if (!isObjectAddress(address)) return { at: remote, sayWhy: rethrow };
  const { locateObject } = await import('./objects/locate.ts');
  const located = await locateObject(asking, address).catch((error: unknown) => {
    if (!(error instanceof HostError)) throw error;
    throw new FetchError(`cannot fetch ${redactedUrl(address)}: ${error.message}`, false);
  });
  if ('problem' in located) throw new FetchError(`${redactedUrl(address)} ${located.problem}`, true);
  const { url, headers, anonymous } = located;
  const own = Object.entries(headers).map(([name, value]) => ({ name, value: sensitive(value) }));
  return {
    at: { ...remote, url: sensitive(url.href), headers: own },
    sayWhy: (error) => {
      if (!(error instanceof FetchError) || anonymous === undefined) throw error;
      const message = `${error.message} (requested without credentials: ${anonymous.why})`;
      throw new FetchError(message, error.refused && !anonymous.mayPass);
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}

async function follow(
  client: HttpClient,
  { url, headers }: RemoteContent,
  { totalSeconds, isHttpsOnly }: FetchSettings,
  sink: Sink,
  signal: AbortSignal | undefined,
): Promise<void> {
  let address = new URL(url.reveal());
  const first = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const own = Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()]));
    const answer = await ask(client, {
      method: 'GET',
      url: address.href,
      // Whoever is redirected to has no right to what was meant for the first server.
      headers: isOf(first, address) ? own : {},
      timeoutMs: totalSeconds ? totalSeconds * 1000 : TOTAL_MS,
      maxBytes: MOST_BYTES,
      sink,
      ...(signal ? { signal } : {}),
    });
    if (answer.status === 200) return;
    const next = answer.headers.location;
    if (answer.status < 300 || answer.status > 399 || next === undefined)
      throw statusError(address.href, answer);
    const target = URL.canParse(next, address.href) ? new URL(next, address.href) : undefined;
    if (target === undefined || !/^https?:$/.test(target.protocol))
      throw new FetchError(`${redactedUrl(address.href)} redirects to a URL that is not http or https`, true);
    if (isHttpsOnly && target.protocol !== 'https:')
      throw new FetchError(`${redactedUrl(address.href)} redirects from https to http`, true);
    address = target;
  }
  throw new FetchError(`${redactedUrl(url.reveal())} redirects more than ${MOST_REDIRECTS} times`, true);
}

async function ask(client: HttpClient, request: Parameters<HttpClient['send']>[0]): Promise<HttpResponse> {
  try {
    return await client.send(request);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new FetchError(
      `cannot fetch ${redactedUrl(request.url)}: ${error.message}`,
      error.errno === 'EFBIG',
    );
  }
}

/** A server that has too much to do, or is just starting, says something else later. */
function statusError(url: string, { status }: HttpResponse): FetchError {
  const mayPass = status >= 500 || status === 408 || status === 429;
  return new FetchError(`cannot fetch ${redactedUrl(url)}: the server returned status ${status}`, !mayPass);
}

function unzipping(sink: Sink): { take: Sink; end(): Promise<void> } {
  const gunzip = createGunzip();
  const done = (async () => {
    try {
      for await (const piece of gunzip as AsyncIterable<Buffer>) await sink(piece);
    } catch (error) {
      const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
      throw isDamaged ? new FetchError("the server's content is not gzip", true) : error;
    }
  })();
  // It is looked at in `end`, perhaps after `take` has failed by the same fault.
  done.catch(() => undefined);
  return {
    // A stream that is destroyed by its input forgets whom to call back.
    take: (piece) =>
      Promise.race([
        new Promise<void>((resolve) => {
          if (!gunzip.destroyed) gunzip.write(piece, (error) => error ?? resolve());
        }),
        done,
      ]),
    end: () => {
      gunzip.end();
      return done;
    },
  };
}
