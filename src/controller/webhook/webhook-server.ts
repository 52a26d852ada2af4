import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { ByteCollector } from '../../kit/bytes/byte-collector.ts';
import { digest } from '../../kit/digest.ts';
import { type AdmissionRequest, readReview } from './admission-review.ts';
import { MODES, type Mode } from './bootstrap-data.ts';

/** A Secret has at most 1 MiB, an update brings it twice, and base64 makes a third more of it. */
const MAX_REVIEW_BYTES = 4 * 1024 * 1024;
/** Connections of those who have not shown the path. */
const MAX_STRANGERS = 64;
/** Connections of API servers: HTTP/1.1 takes one for each review under way. */
const MAX_PROVED = 1_024;
const TIMES = {
  handshakeTimeout: 5_000,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  // Longer than the API server's own, so that it is the one who closes.
  keepAliveTimeout: 120_000,
};

/** Certificate and key in PEM. */
interface ServerPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * `unanswered`: the API server has gone before its answer. `unknown-path`, `certificate-refused`: its configuration is older than the
 * webhook's Secret, or somebody else has called.
 */
export type Miss = 'unanswered' | 'unknown-path' | 'certificate-refused';

type Review = (request: AdmissionRequest, mode: Mode) => Promise<object>;

/**
 * Answers the API server's reviews, `POST /bootstrap-data/SECRET/MODE`. API servers show no certificate to webhooks unless
 * somebody configures one, and the answer holds a Machine's token, so the path has a secret part: whoever cannot read the
 * MutatingWebhookConfiguration gets no review answered, whatever it says about its user.
 */
export class WebhookServer {
  readonly #server: Server;
  readonly #review: Review;
  readonly #pathSecret: () => string;
  readonly #missed: (miss: Miss) => void;
  /** By `connectionName`; the oldest first. */
  readonly #strangers = new Map<string, Socket>();
  readonly #proved = new Set<string>();

  /** @param missed called for each review that was perhaps the API server's and got no answer */
  constructor(pair: ServerPair, pathSecret: () => string, review: Review, missed: (miss: Miss) => void) {
    this.#missed = missed;
    this.#review = review;
    this.#pathSecret = pathSecret;
    this.#server = createServer(
      { ...pair, ...TIMES, minVersion: 'TLSv1.2', maxHeaderSize: 8 * 1024 },
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    );
    this.#server.on('connection', (socket: Socket) => this.#keepFew(socket));
    this.#server.on('tlsClientError', ({ code }: NodeJS.ErrnoException) => {
      if (code?.startsWith('ERR_SSL_') && code.includes('ALERT')) this.#missed('certificate-refused');
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** New connections get the new certificate. */
  renew(pair: ServerPair): void {
    this.#server.setSecureContext({ ...pair, minVersion: 'TLSv1.2' });
  }

  /** @returns the port */
  listen(port: number, host?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** Finishes what is under way. */
  async close(timeoutMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const late = setTimeout(() => this.#server.closeAllConnections(), timeoutMs);
    await closed;
    clearTimeout(late);
  }

  /** Where too many strangers have come, the oldest goes. It never costs the API server's connections. */
  #keepFew(socket: Socket): void {
    const name = connectionName(socket);
    this.#strangers.set(name, socket);
    socket.once('close', () => {
      this.#strangers.delete(name);
      this.#proved.delete(name);
    });
    for (const [oldest, connection] of this.#strangers) {
      if (this.#strangers.size <= MAX_STRANGERS) break;
      this.#strangers.delete(oldest);
      connection.destroy();
    }
  }

  /** The connection has shown the path: it is no stranger's any more. @returns false where there are too many of these */
  #prove({ socket }: IncomingMessage): boolean {
    const name = connectionName(socket);
    if (!this.#strangers.has(name)) return true;
    if (this.#proved.size >= MAX_PROVED) return false;
    this.#strangers.delete(name);
    this.#proved.add(name);
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = this.#modeOf(request.url?.split('?')[0] ?? '');
    // Nothing of the body is read for those who do not know the path.
    if (mode === undefined) {
      this.#missed('unknown-path');
      return refuse(response, 404, 'there is nothing here');
    }
    if (request.method !== 'POST') return refuse(response, 405, 'only POST');
    if (!this.#prove(request)) return refuse(response, 503, 'too many connections');
    response.once('close', () => {
      if (!response.writableFinished) this.#missed('unanswered');
    });
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return refuse(response, 413, `a review has at most ${MAX_REVIEW_BYTES} bytes`);
    const review = parseReview(body);
    if (review === undefined) return refuse(response, 400, 'it is no AdmissionReview of a Secret');
    const text = JSON.stringify(await this.#review(review, mode));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  #modeOf(path: string): Mode | undefined {
    const [, room, secret = '', mode, ...rest] = path.split('/');
    if (room !== 'bootstrap-data' || rest.length > 0) return undefined;
    const [shown, known] = [secret, this.#pathSecret()].map((text) => Buffer.from(digest(text)));
    if (shown === undefined || known === undefined || !timingSafeEqual(shown, known)) return undefined;
    return MODES.find((name) => name === mode);
  }
}

/** The same for a connection and for the TLS on it. */
function connectionName({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** @throws Error where the client goes, or sends too much */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const gathered = new ByteCollector();
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_REVIEW_BYTES) return undefined;
    gathered.add(piece);
  }
  return gathered.take();
}

function parseReview(body: Buffer): AdmissionRequest | undefined {
  try {
    return readReview(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}
