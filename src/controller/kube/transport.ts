import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Access } from './access.ts';

/** API servers close connections after 90 idle seconds. */
const IDLE_MS = 60_000;
const CONNECT_MS = 10_000;

/**
 * Kept connections to the API server of `access`, directly or through its proxy.
 *
 * @param connections the most; default: as many as needed
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
    // HTTP/2 would put all requests on one connection, and a stall would stop them all.
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    // Every request has its own deadline, and a watch may be silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(connections === undefined ? {} : { connections }),
  };
  if (!proxy) return new Pool(server.origin, { ...common, connect: tls });
  return new ProxyAgent({
    ...common,
    uri: proxy.href,
    requestTls: tls,
    // Bounds the wait for the proxy's answer to CONNECT, which no request's deadline ends.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: CONNECT_MS }),
  });
}
