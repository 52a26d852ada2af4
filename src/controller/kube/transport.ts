import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Access } from './access.ts';
import { guardedLookup, refuseForbidden } from './untrusted/guarded-lookup.ts';

/** API servers close connections after 90 idle seconds. */
const IDLE_MS = 60_000;
const CONNECT_MS = 10_000;

/**
 * Kept connections to the API server of `access`, directly or through its proxy.
 *
 * @throws ForbiddenAddressError where a tenant named an address that must not be connected to
 * @param connections the most; default: as many as needed
 */
export function createTransport(access: Access, connections?: number): Dispatcher {
  const { server, ca, serverName, clientCertificate, proxy, limits } = access;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...clientCertificate,
    keepAliveInitialDelay: 15_000,
    timeout: CONNECT_MS,
    // Through a proxy, names are the proxy's to look up, and its own address is the operator's choice.
    ...(limits && !proxy ? { lookup: guardedLookup() } : {}),
  };
  const common = {
    // HTTP/2 would put all requests on one connection, and a stall would stop them all.
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    // Every request has its own deadline, and a watch may be silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(connections === undefined ? {} : { connections }),
  };
  // Of an address that is no name nothing is looked up.
  if (limits) refuseForbidden(server.hostname);
  if (!proxy) return new Pool(server.origin, { ...common, connect: tls });
  return new ProxyAgent({
    ...common,
    uri: proxy.href,
    requestTls: tls,
    // Bounds the wait for the proxy's answer to CONNECT, which no request's deadline ends.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: CONNECT_MS }),
  });
}
