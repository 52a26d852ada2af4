import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { omitUndefined } from '../../../../kit/json.ts';
import { HostError } from '../../host.ts';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from '../../network.ts';
import { explainCertificateDates } from './certificate-dates.ts';
import { describeNetworkError } from './network-error.ts';

const BODY_LIMIT = 64 * 1024;
/** Longer than the bootstrap's heartbeat interval, so that one connection serves a whole bootstrap. */
const IDLE_MS = 60_000;

/** See `Network.client`. It keeps one connection open at a time and loads Node's client on first use. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  let agent: HttpAgent | undefined;
  const dispatch = async (request: HttpRequest): Promise<HttpResponse> => {
    const secure = request.url.startsWith('https:');
    const client = await (secure ? import('node:https') : import('node:http'));
    const ca = options.moreAuthorities && [
      ...(await import('node:tls')).rootCertificates,
      ...options.moreAuthorities,
    ];
    agent ??= new client.Agent({ ...agentOptions(options), ...(ca ? { ca } : {}) });
    const start = (): Promise<HttpResponse> =>
      exchange(request, options.ca, (settings, answered) =>
        client.request(request.url, { ...settings, ...route(options), agent }, answered),
      );
    try {
      return await start();
    } catch (error) {
      // The server closed an idle connection at the moment of its reuse: only the connection is lost.
      if (error instanceof StaleConnection) return start();
      throw error;
    }
  };
  return {
    async send(request) {
      if (!URL.canParse(request.url)) throw new HostError('its address is no URL', 'EINVAL');
      try {
        return await dispatch(request);
      } catch (error) {
        throw describeNetworkError(error, request.url, options.minTls === undefined ? '1.2' : '1.3');
      }
    },
    close() {
      agent?.destroy();
      agent = undefined;
    },
  };
}

/** Never leaves this file. */
class StaleConnection extends HostError {}

/** Where a connection goes and comes from, if not from the URL alone. The Host header stays the URL's. */
function route({ socketPath, address, localPort }: HttpClientOptions): RequestOptions {
  return {
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(address === undefined ? {} : { host: address, hostname: address }),
    ...(localPort === undefined ? {} : { localPort }),
  };
}

function agentOptions({ ca, certificate, key, proxy, insecure, minTls }: HttpClientOptions): AgentOptions {
  const proxyEnv = {
    ...(proxy?.https === undefined ? {} : { HTTPS_PROXY: proxy.https }),
    ...(proxy?.http === undefined ? {} : { HTTP_PROXY: proxy.http }),
    ...(proxy?.except === undefined ? {} : { NO_PROXY: proxy.except }),
  };
  return {
    keepAlive: true,
    maxSockets: 1,
    timeout: IDLE_MS,
    proxyEnv,
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
    ...omitUndefined({ minVersion: minTls, ca, cert: certificate, key }),
  };
}

type Start = (
  settings: { method: string; headers: Record<string, string>; signal: AbortSignal },
  answered: (answer: IncomingMessage) => void,
) => ClientRequest;

function exchange(request: HttpRequest, ca: string | undefined, start: Start): Promise<HttpResponse> {
  const { method, headers = {}, body, timeoutMs, maxBytes = BODY_LIMIT, binary, sink, signal } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  const named = { host: new URL(request.url).host, ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = start(
      {
        method,
        headers: body === undefined ? named : { ...named, 'content-length': String(body.length) },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      },
      (answer) => {
        isAnswering = true;
        const exported = exportedFrom(answer.socket, request);
        const taken =
          sink && answer.statusCode === 200 ? pour(answer, maxBytes, sink) : collect(answer, maxBytes);
        taken.then((bytes) => {
          const text = bytes.toString(binary ? 'latin1' : 'utf8');
          resolve({ status: answer.statusCode ?? 0, headers: flat(answer), body: text, ...exported });
        }, reject);
      },
    );
    let peer: Uint8Array | undefined;
    let isLookingUp = false;
    let isAnswering = false;
    let isMute = false;
    outgoing.on('socket', (socket) => {
      // A reused connection has its handshake behind it; listeners for it would pile up there.
      if (outgoing.reusedSocket) return;
      isLookingUp = isIP(outgoing.host.replace(/^\[|\]$/g, '')) === 0;
      socket.once('lookup', (error: Error | null) => {
        isLookingUp = false;
        if (!error) request.reached?.('name');
      });
      socket.once('connect', () => request.reached?.('route', socket.remoteAddress));
      socket.once('secureConnect', () => request.reached?.('tls'));
      if ('encrypted' in socket) {
        socket.once('connect', () => {
          isMute = true;
        });
        socket.once('secureConnect', () => {
          isMute = false;
        });
      }
      onHandshake(socket, (certificate) => {
        peer = certificate;
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const dates = /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.exec(error.code ?? '');
      const words = dates ? explainCertificateDates(peer, ca, Date.now()) : undefined;
      const inTime = `within ${timeoutMs / 1000} s`;
      if (limit.aborted && isLookingUp) reject(new HostError(`DNS does not answer ${inTime}`, 'EAI_AGAIN'));
      else if (limit.aborted)
        reject(
          new HostError(
            `${isAnswering ? 'not all of the' : 'no'} answer ${inTime}`,
            'ETIMEDOUT',
            undefined,
            isMute,
          ),
        );
      else if (outgoing.reusedSocket && error.code === 'ECONNRESET')
        reject(new StaleConnection(error.message, error.code));
      else reject(words === undefined ? error : new HostError(words, error.code ?? ''));
    });
    outgoing.end(body);
  });
}

function exportedFrom(socket: Socket, { exporter }: HttpRequest): { exported?: Uint8Array } {
  if (!exporter || !('exportKeyingMaterial' in socket)) return {};
  return {
    exported: (socket as TLSSocket).exportKeyingMaterial(exporter.bytes, exporter.label, Buffer.alloc(0)),
  };
}

/**
 * Shows the server's certificate (DER) before Node.js judges it; after a refusal nobody can look at it. Do
 * not call getPeerX509Certificate here: afterwards Node.js would find no names in the certificate.
 */
function onHandshake(socket: Socket, show: (certificate: Uint8Array | undefined) => void): void {
  if (!('getPeerCertificate' in socket)) return;
  const secure = socket as TLSSocket;
  // Through a proxy, the handshake is already over and went well.
  secure.prependOnceListener('secure', () => show(secure.getPeerCertificate().raw));
}

async function collect(answer: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new HostError(`the answer has more than ${limit} bytes`, 'EFBIG');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Hands the body on as it comes. @returns nothing of it */
async function pour(
  answer: IncomingMessage,
  limit: number,
  sink: NonNullable<HttpRequest['sink']>,
): Promise<Buffer> {
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new HostError(`the answer has more than ${limit} bytes`, 'EFBIG');
    await sink(chunk);
  }
  return Buffer.alloc(0);
}

function flat(answer: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')]),
  );
}
