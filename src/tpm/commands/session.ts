import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import { kdfa } from '../crypto/key-derivation.ts';
import { HANDLE, SESSION } from '../wire/constants.ts';
import type { WireReader } from '../wire/reader.ts';
import { bytesOf, NOTHING, sized, u8, u32 } from '../wire/writer.ts';

/** An answer was not signed by the session's key: somebody sits between the processor and the TPM. */
export class TamperedError extends ExpectedError {
  override readonly name = 'TamperedError';

  constructor() {
    super('an answer was changed between the TPM and this program');
  }
}

/** How a command is authorised (Part 1, 19). */
export interface Session {
  /** Encrypts the answer's first parameter. */
  readonly encrypts: boolean;
  /** Begins a command. @param first content of its first sized parameter; absent: it has none. @returns it as it is sent */
  begin(first: Uint8Array | undefined): Uint8Array | undefined;
  /** The session's entry in the authorization area, for the command with this digest that has begun. */
  authorize(commandDigest: Uint8Array): Uint8Array;
  /** Reads the session's entry in the answer. @throws TamperedError */
  check(answerDigest: Uint8Array, from: WireReader): void;
  /** The content of the answer's first parameter. */
  open(content: Uint8Array): Uint8Array;
}

/** The empty password, which hierarchies have unless somebody set one, and which Slipway's own keys have. */
export const EMPTY_PASSWORD: Session = {
  encrypts: false,
  begin: (first) => first,
  authorize: () => bytesOf(u32(HANDLE.password), NOTHING, u8(SESSION.continue), NOTHING),
  check: (_, from) => {
    readEntry(from);
  },
  open: (content) => content,
};

/**
 * A policy session for one command, salted to a key of the TPM: only the TPM that holds that key can sign its answer, and
 * nobody on the way reads the first parameters. It ends with the command.
 */
export class SaltedSession implements Session {
  readonly handle: number;
  readonly encrypts = true;
  readonly #key: Uint8Array;
  #theirs: Uint8Array;
  #ours: Uint8Array = Buffer.alloc(0);
  #attributes = 0;

  /** @param key derived from the salt, see `startSession` */
  constructor(handle: number, key: Uint8Array, nonceTpm: Uint8Array) {
    this.handle = handle;
    this.#key = key;
    this.#theirs = nonceTpm;
  }

  begin(first: Uint8Array | undefined): Uint8Array | undefined {
    this.#ours = randomBytes(32);
    this.#attributes = SESSION.encrypt | (first ? SESSION.decrypt : 0);
    if (!first) return undefined;
    const { key, iv } = this.#cipher(this.#ours, this.#theirs);
    const cipher = createCipheriv('aes-128-cfb', key, iv);
    return bytesOf(cipher.update(first), cipher.final());
  }

  authorize(commandDigest: Uint8Array): Uint8Array {
    const hmac = this.#sign(commandDigest, this.#ours, this.#theirs, this.#attributes);
    return bytesOf(u32(this.handle), sized(this.#ours), u8(this.#attributes), sized(hmac));
  }

  check(answerDigest: Uint8Array, from: WireReader): void {
    const { nonce, attributes, hmac } = readEntry(from);
    const wanted = this.#sign(answerDigest, nonce, this.#ours, attributes);
    if (hmac.length !== wanted.length || !timingSafeEqual(hmac, wanted)) throw new TamperedError();
    this.#theirs = nonce;
  }

  open(content: Uint8Array): Uint8Array {
    const { key, iv } = this.#cipher(this.#theirs, this.#ours);
    const cipher = createDecipheriv('aes-128-cfb', key, iv);
    return bytesOf(cipher.update(content), cipher.final());
  }

  #sign(digest: Uint8Array, newer: Uint8Array, older: Uint8Array, attributes: number): Buffer {
    return createHmac('sha256', this.#key)
      .update(digest)
      .update(newer)
      .update(older)
      .update(u8(attributes))
      .digest();
  }

  #cipher(newer: Uint8Array, older: Uint8Array): { key: Buffer; iv: Buffer } {
    const both = kdfa(this.#key, 'CFB', newer, older, 256);
    return { key: both.subarray(0, 16), iv: both.subarray(16) };
  }
}

function readEntry(from: WireReader): { nonce: Buffer; attributes: number; hmac: Buffer } {
  return { nonce: from.sized(64), attributes: from.u8(), hmac: from.sized(64) };
}
