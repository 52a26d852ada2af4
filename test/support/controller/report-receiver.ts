import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { Authority } from '../../../src/pki/authority.ts';
import { readCsrKey } from '../../../src/pki/read-csr.ts';
import { CHANNEL_BYTES, CHANNEL_LABEL } from '../../../src/protocol/attestation.ts';
import {
  CHECKIN_PATH,
  type CheckInReply,
  readCheckInRequest,
} from '../../../src/protocol/check-in/check-in.ts';
import { readEnrolRequest } from '../../../src/protocol/enrolment.ts';
import type { ReadEvent } from '../../../src/protocol/events.ts';
import { ENROL_PATH, EVENTS_PATH } from '../../../src/protocol/exchange.ts';
import { readBatch } from '../../../src/protocol/read-events.ts';
import { WireError } from '../../../src/protocol/wire.ts';

/** What a test wants the receiver to do with a request instead of its work. */
type Mood = (request: Asked) => Answer | undefined;

interface Asked {
  path: string;
  events: readonly ReadEvent[];
  body: Buffer;
  /** Names the connection (RFC 9266). */
  channel: Buffer;
  /** Of the certificate that was shown. */
  serial: string | undefined;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Cut the connection instead of answering, after the events were stored. */
  cut?: boolean;
}

/** A real HTTPS server that speaks the reporting protocol: enrolment, mutual TLS, storing by (boot, seq). */
export class ReportReceiver {
  readonly ca: string;
  readonly stored: ReadEvent[] = [];
  /** Events that came again. */
  repeated = 0;
  requests = 0;
  /** What machines told when they checked in, and what they are answered. */
  readonly checkedIn: (number | undefined)[] = [];
  wants: CheckInReply['wants'] = 'nothing';
  /** How often machines are to check in. */
  everySeconds: number | undefined;
  readonly tokens = new Set<string>();
  readonly enrolled: string[] = [];
  mood: Mood = () => undefined;
  certificateMs = 3_600_000;
  /** What an enrolment names as authorities, where it is not the truth. */
  named: string | undefined;
  /** Signs machines' certificates. */
  #authority: Authority;
  /** Has signed the server's. */
  #shown: Authority;
  /** All that count, in PEM. */
  #trusted: string;
  readonly #spent = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

  constructor() {
    const made = Authority.create('Slipway test');
    this.ca = made.certificate;
    this.#authority = new Authority(made.certificate, made.privateKey);
    this.#shown = this.#authority;
    this.#trusted = this.ca;
    this.#server = this.#create();
  }

  get url(): string {
    return `https://localhost:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = this.#create();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** An outage: nothing listens at the port any more. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Forgets whom it has enrolled: their certificates are of no use any more. */
  revokeAll(): void {
    this.enrolled.length = 0;
  }

  /** Another authority signs from now on. Both count, and the server shows the old one's word, until the overlap ends. */
  rotate(): void {
    const made = Authority.create('Slipway test anew');
    this.#authority = new Authority(made.certificate, made.privateKey);
    this.#trusted = `${made.certificate}${this.#trusted}`;
    this.#server.setSecureContext(this.#tls());
  }

  endOverlap(): void {
    this.#shown = this.#authority;
    this.#trusted = this.#authority.certificate;
    this.#server.setSecureContext(this.#tls());
    for (const socket of this.#sockets) socket.destroy();
  }

  #tls() {
    const { cert, key } = this.#shown.server(['localhost'], 3_600_000);
    return { cert, key, ca: this.#trusted, minVersion: 'TLSv1.3' } as const;
  }

  #create(): Server {
    const options = {
      ...this.#tls(),
      requestCert: true,
      rejectUnauthorized: false,
    } as const;
    const server = createServer(options, (request, answer) => void this.#serve(request, answer));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    return server;
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    this.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const path = request.url ?? '';
    try {
      const { status, headers = {}, body: said, cut } = this.#answer(request, path, body);
      if (cut) {
        request.socket.destroy();
        return;
      }
      answer
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(said ?? {}));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      answer.writeHead(error.code === 'too-large' ? 413 : 400).end(JSON.stringify({ error: error.code }));
    }
  }

  #answer(request: IncomingMessage, path: string, body: Buffer): Answer {
    const socket = request.socket as TLSSocket;
    const name = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
    const channel = socket.exportKeyingMaterial(CHANNEL_BYTES, CHANNEL_LABEL, Buffer.alloc(0));
    const serial = name === undefined ? undefined : socket.getPeerCertificate().serialNumber;
    if (path === ENROL_PATH)
      return this.mood({ path, events: [], body, channel, serial }) ?? this.#enrol(body, name);
    if (path === CHECKIN_PATH)
      return this.mood({ path, events: [], body, channel, serial }) ?? this.#checkIn(body, name);
    if (path !== EVENTS_PATH) return { status: 404, body: { error: 'not-found' } };
    if (name === undefined || !this.enrolled.includes(name))
      return { status: 401, body: { error: 'unauthorized' } };
    const { events } = readBatch(body);
    const answer = this.mood({ path, events, body, channel, serial });
    if (answer && !answer.cut) return answer;
    for (const event of events) {
      if (this.stored.some(({ boot, seq }) => boot === event.boot && seq === event.seq)) this.repeated += 1;
      else this.stored.push(event);
    }
    const stored = events.at(-1)?.seq ?? 0;
    return answer ?? { status: 200, body: { version: 1, stored, ...this.#wish() } };
  }

  #checkIn(body: Buffer, name: string | undefined): Answer {
    const { token, told } = readCheckInRequest(body);
    if (name === undefined && token !== undefined && this.tokens.has(token))
      return { status: 200, body: { version: 1, wants: 'nothing' } };
    if (name === undefined || !this.enrolled.includes(name))
      return { status: 401, body: { error: 'unauthorized' } };
    this.checkedIn.push(told?.seq);
    return { status: 200, body: { version: 1, wants: this.wants, ...this.#wish() } };
  }

  #wish() {
    return this.everySeconds === undefined ? {} : { checkin: { everySeconds: this.everySeconds } };
  }

  #enrol(body: Buffer, name: string | undefined): Answer {
    const { token, csr, machine } = readEnrolRequest(body);
    const publicKey = readCsrKey(csr);
    const key = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    const isRenewal = token === undefined && name === machine.instance;
    const isRepeated = token !== undefined && this.#spent.get(token) === key;
    if (!isRenewal && !isRepeated && !(token !== undefined && this.tokens.delete(token))) {
      return { status: 401, body: { error: 'unauthorized' } };
    }
    if (token !== undefined) this.#spent.set(token, key);
    const { certificate, expiresAt } = this.#authority.sign(
      { use: 'client', name: machine.instance, publicKey },
      this.certificateMs,
    );
    this.enrolled.push(machine.instance);
    return {
      status: 200,
      body: { version: 1, certificate, ca: this.named ?? this.#trusted, expiresAt: expiresAt.toISOString() },
    };
  }
}
