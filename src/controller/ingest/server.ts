import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { type RateLimit, Rates } from '../../kit/rates.ts';
import { REFUSAL_STATUS, type Refusal } from '../../protocol/exchange.ts';
import { type Peer, type PresentedPeer, peerOf } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { Log } from '../log.ts';
import { reason } from '../log.ts';
import { nodeKey } from '../model/node-record.ts';
import type { Metrics } from '../web/metrics.ts';
import { discard, send } from './answer.ts';
import { Bodies, type BodyLimits } from './bodies.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import {
  type EndpointParts,
  type EndpointPath,
  Endpoints,
  isKnown,
  MACHINE_PATHS,
  MAX_BYTES,
  pathLabel,
} from './endpoints.ts';
import { addressOf, guardHandshakes, rawSocket } from './guard-handshakes.ts';
import type { EventIntake } from './intake.ts';
import { Peers } from './peers.ts';
import { isExpectedRefusal, strangerRefusal, toRefused } from './refusals.ts';
import { RevokedCertificates } from './revoked-certificates.ts';

export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
  /** Authorities of the machines' certificates, in PEM. */
  readonly ca: string;
}

interface IngestOptions {
  readonly tls: TlsFiles;
  readonly connections: ConnectionLimits;
  /** Requests per machine. */
  readonly machineRate: RateLimit;
  /** Requests without a certificate per address. */
  readonly strangerRate: RateLimit;
}

/** Machines and strangers each have memory of their own for what they send. */
const MACHINES: BodyLimits = { arriving: 32 * 1024 * 1024, perPeer: 4 * 1024 * 1024 };
const STRANGERS: BodyLimits = { arriving: 16 * 1024 * 1024, perPeer: 8 * 1024 * 1024 };

/** Time limits for a client. A machine on a bad line is quicker than these, a slow loris is not. */
const TIMES = {
  handshakeTimeout: 5_000,
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5_000,
};

/** Connections that wait to be taken, as many as the kernel allows: beyond them it drops whoever comes. */
const BACKLOG = 4_096;
/** Bytes of bodies that one machine may send, unpacked: each costs time to read, stored or not. */
const RECEIVED = { perSecond: 128 * 1024, burst: 8 * 1024 * 1024 };

/**
 * The API for machines: `POST /v1/events`, `/v1/enroll`, `/v1/enroll/challenge`, `/v1/checkin`, `/v1/release`,
 * `/v1/kubelet-key`.
 */
export class IngestServer {
  readonly server: Server;
  readonly connections: Connections;
  readonly peers = new Peers();
  readonly #former = new RevokedCertificates();
  readonly #intake: EventIntake;
  readonly #endpoints: Endpoints;
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #machineRates: Rates;
  readonly #strangerRates: Rates;
  readonly #received = new Rates(RECEIVED);
  readonly #machineBodies = new Bodies(MACHINES);
  readonly #strangerBodies = new Bodies(STRANGERS);
  readonly #told = new Rates({ perSecond: 20, burst: 100 });
  #authorities: string;
  #draining = false;

  constructor(parts: EndpointParts, options: IngestOptions) {
    this.#authorities = options.tls.ca;
    this.#endpoints = new Endpoints(parts);
    this.#intake = parts.intake;
    this.#metrics = parts.metrics;
    this.#log = parts.log;
    this.#machineRates = new Rates(options.machineRate);
    this.#strangerRates = new Rates(options.strangerRate);
    this.server = createServer(
      {
        ...options.tls,
        ...TIMES,
        minVersion: 'TLSv1.3',
        requestCert: true,
        // A stranger may connect in order to enrol; each path decides who may use it.
        rejectUnauthorized: false,
        maxHeaderSize: 8 * 1024,
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.server.maxHeadersCount = 64;
    const refused = (why: string, address: string): void => this.#refuse(why, address);
    // Connections first, so that who may not connect costs no gate.
    guardHandshakes(this.server, { isKnown: (address) => this.connections.isKnown(address), refused });
    this.connections = new Connections(this.server, options.connections, refused);
    this.server.on('secureConnection', (socket: TLSSocket) => {
      const payer = this.#payerOf(peerOf(socket));
      if (payer !== undefined) this.connections.proved(rawSocket(socket), payer);
    });
    this.server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuse('tls', addressOf(socket), reason(error)),
    );
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Endless headers, or too many of them: there is nobody to answer.
      if (error.code !== 'ECONNRESET') this.#refuse('http', addressOf(socket as TLSSocket), reason(error));
      socket.destroy();
    });
  }

  /** New connections get the new certificate; open ones continue, unless an authority counts no longer. */
  renew(tls: TlsFiles): void {
    this.server.setSecureContext({ ...tls, minVersion: 'TLSv1.3' });
    const isDropped = authoritiesIn(this.#authorities).some((one) => !tls.ca.includes(one));
    this.#authorities = tls.ca;
    if (isDropped) this.server.closeAllConnections();
  }

  listen(port: number, host?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, host, backlog: BACKLOG }, () => {
        this.server.off('error', reject);
        const address = this.server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** Accepts no new connections, finishes current requests, and sends everybody else to another replica. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const late = setTimeout(() => this.server.closeAllConnections(), timeoutMs);
    await closed;
    clearTimeout(late);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = request.socket as TLSSocket;
    const address = addressOf(socket);
    const path = request.url ?? '';
    const peer = peerOf(socket);
    if (peer) this.peers.add(peer.binding, socket);
    try {
      this.#limit(this.#payerOf(peer), address);
      const answer = await this.#route(request, path, peer, (known, bytes) => {
        response.once('close', this.connections.arrived(rawSocket(socket)));
        return this.#endpoints.answer(known, bytes, peer, socket);
      });
      this.#metrics.requests.add({ path, status: '200' });
      send(response, 200, answer, { close: this.#draining });
    } catch (error) {
      this.#fail(request, response, { peer, address }, error);
    }
  }

  /** Reads the body and hands it on, if the path is one and this peer may use it. */
  async #route(
    request: IncomingMessage,
    path: string,
    peer: PresentedPeer | undefined,
    use: (path: EndpointPath, bytes: Buffer) => Promise<unknown>,
  ): Promise<unknown> {
    if (!isKnown(path) || request.method !== 'POST')
      throw new Refused('not-found', `${request.method} of another path`);
    const maxBytes = MAX_BYTES[path];
    const payer = this.#payerOf(peer);
    if (payer !== undefined)
      return await this.#machineBodies.read(request, { peer: payer, maxBytes }, (bytes) => {
        this.#received.take(payer, bytes.length);
        return use(path, bytes);
      });
    if (!peer && MACHINE_PATHS.includes(path)) throw strangerRefusal();
    const address = addressOf(request.socket);
    return await this.#strangerBodies.read(request, { peer: address, maxBytes }, (bytes) => use(path, bytes));
  }

  /**
   * Whose budgets a request counts against: the key's and not the name's, so that who had the name before takes nothing from
   * who has it now. Undefined for a stranger.
   */
  #payerOf(peer: PresentedPeer | undefined): string | undefined {
    const isFormer = peer && (this.#former.has(peer.serial) || this.#intake.knowsNewer(peer));
    return isFormer ? undefined : peer?.binding;
  }

  #limit(payer: string | undefined, address: string): void {
    const waitMs =
      payer === undefined
        ? this.#strangerRates.take(address)
        : Math.max(this.#received.wait(payer), this.#machineRates.take(payer));
    if (waitMs > 0) throw new Refused('slow-down', 'too many requests', { retryAfterMs: waitMs });
  }

  #fail(
    request: IncomingMessage,
    response: ServerResponse,
    { peer, address }: { peer: PresentedPeer | undefined; address: string },
    error: unknown,
  ): void {
    const refused = toRefused(error);
    const { code, isFormer, retryAfterMs } = refused;
    if (peer && isFormer) this.#former.add(peer.serial);
    const words = peer || refused.isProved ? refused.words : undefined;
    this.#metrics.requests.add({ path: pathLabel(request.url), status: String(REFUSAL_STATUS[code]) });
    this.#refuse(code, address, refused.message, peer);
    if (refused !== error && !isExpectedRefusal(error)) {
      this.#log.error('a request failed because of a fault in the controller', { reason: reason(error) });
    }
    const body: Refusal = {
      error: code,
      ...(words === undefined ? {} : { words }),
      ...(words === undefined || refused.reason === undefined ? {} : { reason: refused.reason }),
      ...(words === undefined || refused.wants === undefined ? {} : { wants: refused.wants }),
    };
    const unread = !request.complete;
    const close = unread || isFormer || this.#draining;
    send(response, REFUSAL_STATUS[code], body, { close, retryAfterMs });
    if (unread) discard(request);
  }

  #refuse(code: string, address = '', why = '', peer?: Peer): void {
    this.#metrics.refusals.add({ reason: code });
    // Repeated refusals must not fill the disk with log lines; the counter has them all.
    if (this.#told.take('') > 0) return;
    this.#log.warn('refused', { code, address, reason: why, node: peer ? nodeKey(peer) : undefined });
  }
}

/** The PEM blocks. */
function authoritiesIn(text: string): string[] {
  return text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
}
