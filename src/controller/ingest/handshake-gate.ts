import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Bytes that a connection may send until its handshake is done; OpenSSL itself would take a chain of 100 KB. It has to hold the largest handshake
 * of a machine of ours:
 *
 *   1,700  ClientHello with a share of a post-quantum key (X25519MLKEM768), and 1,700 again where the server asks for another group
 *   1,300  the machine's certificate with the longest names that it can have (`slipway:node/NAMESPACE/NAME/KEY`: 400 bytes)
 *   1,000  two certificates of authorities (a client adds those that it trusts: after a rotation a new one and the old one's word for it)
 *     200  its signature and the end of the handshake
 *   1,500  a ticket of an earlier session
 *
 * which are 7,400 bytes, all of them at once. handshake-gate.test.ts has real handshakes that stay below it.
 */
export const HANDSHAKE_BYTES = 8 * 1024;

interface GateParts {
  /** Calls `step` once, now or later. Each step makes TLS work for whoever is on the other end. */
  readonly turn: (step: () => void) => void;
  /** The connection has sent too much, and is closed. */
  readonly refused: () => void;
}

/**
 * Stands between a connection and TLS, which reads from nothing else: until the handshake is done, it lets through a bounded number of bytes, each
 * time when it is this connection's turn. Then everything passes.
 *
 * TLS has to read from a stream for that. From a socket, OpenSSL takes the bytes before any of our code runs.
 */
export class HandshakeGate extends Duplex {
  readonly #raw: Socket;
  readonly #parts: GateParts;
  /** Has arrived and waits. */
  #held: Buffer[] = [];
  #left = HANDSHAKE_BYTES;
  #isWaiting = false;
  #isFeeding = false;
  #isOpen = false;
  #hasEnded = false;

  constructor(raw: Socket, parts: GateParts) {
    super({ allowHalfOpen: raw.allowHalfOpen });
    this.#raw = raw;
    this.#parts = parts;
    raw.on('data', (chunk: Buffer) => this.#take(chunk));
    raw.once('end', () => {
      this.#hasEnded = true;
      this.#endIfRead();
    });
    // What was wrong with the connection concerns nobody; TLS says that it has gone.
    raw.on('error', () => this.destroy());
    raw.once('close', () => this.destroy());
  }

  get raw(): Socket {
    return this.#raw;
  }

  /** The handshake is done. */
  open(): void {
    this.#isOpen = true;
    // While it feeds, the bytes before come first.
    if (!this.#isFeeding) this.#flush();
  }

  #take(chunk: Buffer): void {
    this.#held.push(chunk);
    if (this.#isOpen) this.#flush();
    else this.#wait();
  }

  #wait(): void {
    this.#raw.pause();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#parts.turn(() => {
      this.#isWaiting = false;
      if (!this.destroyed) this.#feed();
    });
  }

  /** Gives TLS what it may have. What came behind the end of a handshake (a request, as a rule) may be more. */
  #feed(): void {
    const [first = Buffer.alloc(0), ...more] = this.#held;
    const all = more.length === 0 ? first : Buffer.concat([first, ...more]);
    const part = all.subarray(0, this.#left);
    this.#held = part.length < all.length ? [all.subarray(part.length)] : [];
    this.#left -= part.length;
    this.#isFeeding = true;
    if (part.length > 0) this.push(part);
    this.#isFeeding = false;
    if (this.#isOpen) this.#flush();
    else if (this.#held.length > 0) setImmediate(() => this.#refuse());
    else {
      this.#endIfRead();
      this.#raw.resume();
    }
  }

  /** All that it may have was read, and that was not enough. */
  #refuse(): void {
    if (this.#isOpen || this.destroyed) return;
    this.#parts.refused();
    this.destroy();
  }

  #flush(): void {
    const held = this.#held;
    this.#held = [];
    let hasRoom = true;
    for (const chunk of held) hasRoom = this.push(chunk);
    this.#endIfRead();
    if (hasRoom) this.#raw.resume();
    else this.#raw.pause();
  }

  #endIfRead(): void {
    if (!this.#hasEnded || this.#held.length > 0 || this.readableEnded || this.destroyed) return;
    this.#hasEnded = false;
    this.push(null);
  }

  override _read(): void {
    if (!this.#isWaiting) this.#raw.resume();
  }

  // TLS answers the end of a connection with a record of its own, when nobody may be there to read it: no error of anybody's.
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#raw.write(chunk, () => done());
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#raw.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), () => done());
  }

  override _final(done: () => void): void {
    this.#raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#held = [];
    this.#raw.destroy();
    done(error);
  }
}
