import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { type RateLimit, Rates } from '../../kit/rates.ts';
import {
  CHALLENGE_PATH,
  CHANNEL_BYTES,
  CHANNEL_LABEL,
  challengeReplyBody,
  ENROLMENT_VERSION,
  MAX_CHALLENGE_BYTES,
  readChallengeRequest,
} from '../../protocol/attestation.ts';
import { MAX_ENROLMENT_BYTES, readEnrolRequest } from '../../protocol/enrolment.ts';
import { EVENTS_VERSION } from '../../protocol/events.ts';
import {
  ENROL_PATH,
  EVENTS_PATH,
  MAX_BATCH_BYTES,
  REFUSAL_STATUS,
  type Refusal,
} from '../../protocol/exchange.ts';
import {
  KUBELET_KEY_PATH,
  MAX_KUBELET_KEY_BYTES,
  readKubeletKeyRequest,
} from '../../protocol/kubelet-key.ts';
import { readBatch } from '../../protocol/read-events.ts';
import {
  MAX_RELEASE_REQUEST_BYTES,
  RELEASE_PATH,
  readReleaseRequest,
  releaseReplyBody,
} from '../../protocol/release.ts';
import { WireError } from '../../protocol/wire.ts';
import type { Enrolment } from '../attest/enrolment.ts';
import { type Peer, peerOf, type ShownPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { KubeletKeys } from '../fresh/kubelet-keys.ts';
import type { Log } from '../log.ts';
import { reason } from '../log.ts';
import { nodeKey } from '../model/node-record.ts';
import type { Releases } from '../release/releases.ts';
import { StoreBusy, StoreRefuses, StoreSpent } from '../store/store.ts';
import type { Metrics } from '../web/metrics.ts';
import { Bodies, type BodyLimits } from './bodies.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { Former } from './former.ts';
import type { EventIntake } from './intake.ts';
import { peerAddress } from './peer-address.ts';
import { Peers } from './peers.ts';

export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
  /** Authorities of the machines' certificates, in PEM. */
  readonly ca: string;
}

export interface IngestOptions {
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

const DISCARD_MS = 1_000;
const SPENT =
  'This machine has reported more than a bootstrap does. What it still has is stored later, all at once.';
/** Connections that wait to be taken, as many as the kernel allows: beyond them it drops whoever comes. */
const BACKLOG = 4_096;
/** Bytes of bodies that one machine may send, unpacked: each costs time to read, stored or not. */
const RECEIVED = { perSecond: 128 * 1024, burst: 8 * 1024 * 1024 };
/**
 * Requests of one machine for what was sealed, or for a kubelet's key: each is a read of the API server, and a TPM's proof to be
 * checked. A machine waits 5 s between two.
 */
const RELEASES = { perSecond: 0.5, burst: 20 };

/** The API for machines: `POST /v1/events`, `/v1/enroll`, `/v1/enroll/challenge`, `/v1/release`, `/v1/kubelet-key`. */
export class IngestServer {
  readonly server: Server;
  readonly connections: Connections;
  readonly peers = new Peers();
  readonly #former = new Former();
  readonly #intake: EventIntake;
  readonly #enrolment: Enrolment;
  readonly #releases: Releases | undefined;
  readonly #kubeletKeys: KubeletKeys | undefined;
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #machineRates: Rates;
  readonly #strangerRates: Rates;
  readonly #received = new Rates(RECEIVED);
  readonly #asked = new Rates(RELEASES);
  readonly #machineBodies = new Bodies(MACHINES);
  readonly #strangerBodies = new Bodies(STRANGERS);
  readonly #told = new Rates({ perSecond: 20, burst: 100 });
  #authorities: string;
  #draining = false;

  constructor(
    parts: {
      intake: EventIntake;
      enrolment: Enrolment;
      /** Absent if there are no Machines to seal something for. */
      releases?: Releases | undefined;
      /** Absent as well then. */
      kubeletKeys?: KubeletKeys | undefined;
      metrics: Metrics;
      log: Log;
    },
    options: IngestOptions,
  ) {
    this.#authorities = options.tls.ca;
    this.#intake = parts.intake;
    this.#enrolment = parts.enrolment;
    this.#releases = parts.releases;
    this.#kubeletKeys = parts.kubeletKeys;
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
    this.connections = new Connections(this.server, options.connections, (why, address) =>
      this.#refuse(why, address),
    );
    this.server.on('secureConnection', (socket: TLSSocket) => {
      const payer = this.#payerOf(peerOf(socket));
      if (payer !== undefined) this.connections.proved(socket, payer);
    });
    this.server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuse('tls', socket.remoteAddress, reason(error)),
    );
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Endless headers, or too many of them: there is nobody to answer.
      if (error.code !== 'ECONNRESET')
        this.#refuse('http', (socket as TLSSocket).remoteAddress, reason(error));
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
    const address = peerAddress(socket.remoteAddress);
    const path = request.url ?? '';
    const peer = peerOf(socket);
    if (peer) this.peers.add(peer.binding, socket);
    try {
      this.#limit(this.#payerOf(peer), address);
      const answer = await this.#route(request, path, peer, (bytes) => {
        response.once('close', this.connections.arrived(socket));
        if (path === CHALLENGE_PATH) return this.#challenge(bytes, socket);
        if (path === RELEASE_PATH) return this.#release(bytes, peer, socket);
        if (path === KUBELET_KEY_PATH) return this.#bindKubelet(bytes, peer, socket);
        return path === ENROL_PATH ? this.#enrol(bytes, peer, socket) : this.#store(bytes, peer);
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
    peer: ShownPeer | undefined,
    use: (bytes: Buffer) => Promise<unknown>,
  ): Promise<unknown> {
    if (!isKnown(path) || request.method !== 'POST')
      throw new Refused('not-found', `${request.method} of another path`);
    const maxBytes = MAX_BYTES[path];
    const payer = this.#payerOf(peer);
    if (payer !== undefined)
      return await this.#machineBodies.read(request, { peer: payer, maxBytes }, (bytes) => {
        this.#received.take(payer, bytes.length);
        return use(bytes);
      });
    if (!peer && FOR_MACHINES.includes(path)) throw strangers();
    const address = peerAddress(request.socket.remoteAddress);
    return await this.#strangerBodies.read(request, { peer: address, maxBytes }, use);
  }

  async #challenge(bytes: Buffer, socket: TLSSocket): Promise<unknown> {
    const asked = readChallengeRequest(bytes);
    const address = peerAddress(socket.remoteAddress);
    return challengeReplyBody(this.#enrolment.challenge(asked, channelOf(socket), address));
  }

  async #enrol(bytes: Buffer, peer: ShownPeer | undefined, socket: TLSSocket): Promise<unknown> {
    const { reply, about } = await this.#enrolment.enrol(readEnrolRequest(bytes), peer, channelOf(socket));
    this.#metrics.enrolments.add({ method: about.method });
    this.#log.info('gave a certificate', {
      node: nodeKey(about),
      method: about.method,
      until: reply.expiresAt,
    });
    return reply;
  }

  async #release(bytes: Buffer, peer: ShownPeer | undefined, socket: TLSSocket): Promise<unknown> {
    if (!peer) throw strangers();
    if (!this.#releases) throw new Refused('not-found', 'there are no Machines here to seal something for');
    this.#limitProofs(peer);
    const asked = readReleaseRequest(bytes);
    const { reply, machine, by } = await this.#releases.release(asked, peer, channelOf(socket));
    this.#metrics.releases.add({ by });
    this.#log.info('released sealed user data', { node: nodeKey(peer), machine, by, digest: reply.digest });
    return releaseReplyBody(reply);
  }

  async #bindKubelet(bytes: Buffer, peer: ShownPeer | undefined, socket: TLSSocket): Promise<unknown> {
    if (!peer) throw strangers();
    if (!this.#kubeletKeys)
      throw new Refused('not-found', 'there are no Machines here whose kubelets had keys');
    this.#limitProofs(peer);
    const asked = readKubeletKeyRequest(bytes);
    const about = await this.#kubeletKeys.bind(asked, peer, channelOf(socket));
    this.#metrics.kubeletKeys.add({ by: about.by });
    this.#log.info("noted a kubelet's key", { node: nodeKey(peer), ...about });
    return { version: ENROLMENT_VERSION };
  }

  /** Of what a machine proves anew. */
  #limitProofs(peer: ShownPeer): void {
    const waitMs = this.#asked.take(peer.binding);
    if (waitMs > 0) throw new Refused('slow-down', 'too many proofs', { retryAfterMs: waitMs });
  }

  async #store(bytes: Buffer, peer: ShownPeer | undefined): Promise<unknown> {
    if (!peer) throw strangers();
    const began = performance.now();
    const { stored } = await this.#intake.take(peer, readBatch(bytes));
    this.#metrics.admission.observe((performance.now() - began) / 1000);
    return { version: EVENTS_VERSION, stored };
  }

  /**
   * Whose budgets a request counts against: the key's and not the name's, so that who had the name before takes nothing from
   * who has it now. Undefined for a stranger.
   */
  #payerOf(peer: ShownPeer | undefined): string | undefined {
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
    { peer, address }: { peer: ShownPeer | undefined; address: string },
    error: unknown,
  ): void {
    const refused = asRefused(error);
    const { code, isFormer, retryAfterMs } = refused;
    if (peer && isFormer) this.#former.add(peer.serial);
    const words = peer || refused.isProved ? refused.words : undefined;
    this.#metrics.requests.add({ path: pathLabel(request.url), status: String(REFUSAL_STATUS[code]) });
    this.#refuse(code, address, refused.message, peer);
    if (refused !== error && !isExpected(error)) {
      this.#log.error('a request failed because of a fault in the controller', { reason: reason(error) });
    }
    const body: Refusal = {
      error: code,
      ...(words === undefined ? {} : { words }),
      ...(words === undefined || refused.reason === undefined ? {} : { reason: refused.reason }),
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

function strangers(): Refused {
  return new Refused('unauthorized', 'what machines do comes without a certificate of this authority');
}

/** The reporter finds the event and passes over it. */
function refusedForGood({ because, message }: StoreRefuses): Refused {
  return because === 'size'
    ? new Refused('too-large', message, { words: 'The store takes no object of this size.' })
    : new Refused('unprocessable', message, { words: 'The API server takes no object with this content.' });
}

/** The PEM blocks. */
function authoritiesIn(text: string): string[] {
  return text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof WireError) {
    // The sentence about a bad body is our own and quotes nothing.
    return new Refused(error.code, error.message, { words: error.message });
  }
  if (error instanceof StoreRefuses) return refusedForGood(error);
  if (error instanceof StoreSpent)
    return new Refused('slow-down', error.message, { words: SPENT, retryAfterMs: error.retryAfterMs });
  if (error instanceof StoreBusy)
    return new Refused('unavailable', error.message, { retryAfterMs: error.retryAfterMs });
  return new Refused('unavailable', reason(error), { retryAfterMs: 5_000 });
}

/**
 * Discards the rest of a body for a short time, so that the answer gets through: closing a connection with
 * unread bytes would take the answer with it.
 */
function discard(request: IncomingMessage): void {
  const { socket } = request;
  request.resume();
  const end = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.once('close', () => clearTimeout(end));
}

function isExpected(error: unknown): boolean {
  return error instanceof WireError || error instanceof StoreBusy || error instanceof StoreRefuses;
}

/** The paths, and how large their bodies may be. */
const MAX_BYTES = {
  [EVENTS_PATH]: MAX_BATCH_BYTES,
  [ENROL_PATH]: MAX_ENROLMENT_BYTES,
  [CHALLENGE_PATH]: MAX_CHALLENGE_BYTES,
  [RELEASE_PATH]: MAX_RELEASE_REQUEST_BYTES,
  [KUBELET_KEY_PATH]: MAX_KUBELET_KEY_BYTES,
} as const;

/** Whoever has no certificate gets nothing of them read. */
const FOR_MACHINES: readonly string[] = [EVENTS_PATH, RELEASE_PATH, KUBELET_KEY_PATH];

function isKnown(path: string | undefined): path is keyof typeof MAX_BYTES {
  return path !== undefined && Object.hasOwn(MAX_BYTES, path);
}

/** Names the connection: the same on the machine's end, and nowhere else (RFC 9266). */
function channelOf(socket: TLSSocket): Uint8Array {
  return socket.exportKeyingMaterial(CHANNEL_BYTES, CHANNEL_LABEL, Buffer.alloc(0));
}

/** A stranger's path must not become a label. */
function pathLabel(path: string | undefined): string {
  return isKnown(path) ? path : 'other';
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  { close, retryAfterMs }: { close?: boolean; retryAfterMs?: number | undefined } = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const text = Buffer.from(JSON.stringify(body));
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'content-length': text.length,
    ...(close ? { connection: 'close' } : {}),
    ...(retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  };
  response.writeHead(status, headers);
  response.end(text);
}
