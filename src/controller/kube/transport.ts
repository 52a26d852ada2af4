import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Access } from './access.ts';

/** API servers close connections that were idle for 90 s. */
const IDLE_MS = 60_000;
const CONNECT_MS = 10_000;

/**
 * Kept connections to the API server of `access`, directly or through its proxy.
 *
 * @param connections how many at most; as many as are needed when absent
 */
export function createTransport(access: Access, connections?: number): Dispatcher {
  const { server, ca, serverName, clientCertificate, proxy } = access;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...clientCertificate,
    keepAliveInitialDelay: 15_000,
    timeout: CONNECT_MS,
  };
  const common = {
    // HTTP/2 would put all requests on one connection, and all would stand still with it.
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    // Every request has a deadline of its own, and a watch is silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(connections === undefined ? {} : { connections }),
  };
  if (!proxy) return new Pool(server.origin, { ...common, connect: tls });
  return new ProxyAgent({
    ...common,
    uri: proxy.href,
    requestTls: tls,
    // The proxy's answer to CONNECT; no deadline of a request ends the waiting for it.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: CONNECT_MS }),
  });
}
