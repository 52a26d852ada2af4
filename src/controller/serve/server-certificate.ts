import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ExpectedError } from '../../kit/errors.ts';
import type { TlsFiles } from '../ingest/server.ts';
import type { Keys } from '../keys/key-ring.ts';
import { type Log, reason } from '../log.ts';
import type { ServeSettings } from './settings.ts';

const VALID_MS = 30 * 86_400_000;
const LOOK_MS = 10_000;

/** What it needs of the controller's keys. */
type ServerKeys = Pick<Keys, 'authority' | 'trusted' | 'chain'>;

/**
 * The server's certificate: one from its own authority, renewed long before it expires, or files that
 * somebody else renews. It changes without a restart.
 */
export class ServerCertificate {
  readonly #settings: Pick<ServeSettings, 'names' | 'tlsFiles'>;
  readonly #keys: ServerKeys;
  readonly #log: Log;
  #current: TlsFiles;
  #renewAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @throws Error if the files are unreadable or do not belong together */
  constructor(settings: Pick<ServeSettings, 'names' | 'tlsFiles'>, keys: ServerKeys, log: Log) {
    this.#settings = settings;
    this.#keys = keys;
    this.#log = log;
    this.#current = this.#make();
  }

  get current(): TlsFiles {
    return this.#current;
  }

  /** Looks every ten seconds and calls `renewed` with a new one. */
  watch(renewed: (files: TlsFiles) => void, everyMs = LOOK_MS): void {
    this.#timer = setInterval(() => {
      try {
        const { trusted, chain } = this.#keys;
        const isRotated = trusted !== this.#current.ca || !this.#current.cert.endsWith(chain);
        const isDue = this.#settings.tlsFiles || isRotated || Date.now() > this.#renewAt;
        const next = isDue ? this.#make() : this.#current;
        const { cert, key, ca } = this.#current;
        if (next.cert === cert && next.key === key && next.ca === ca) return;
        this.#current = next;
        renewed(next);
        this.#log.info('shows a new certificate', { until: new X509Certificate(next.cert).validTo });
      } catch (error) {
        // A half-written renewal: the old certificate serves until the next look.
        this.#log.warn('the new certificate is not usable yet; the old one stays', { reason: reason(error) });
      }
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #make(): TlsFiles {
    const ca = this.#keys.trusted;
    const { tlsFiles, names } = this.#settings;
    if (tlsFiles) {
      const cert = readFileSync(tlsFiles.cert, 'utf8');
      const key = readFileSync(tlsFiles.key, 'utf8');
      if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
        throw new ExpectedError(`${tlsFiles.key} is not the key of ${tlsFiles.cert}`);
      }
      return { cert, key, ca };
    }
    this.#renewAt = Date.now() + VALID_MS * (2 / 3);
    const { cert, key } = this.#keys.authority.server(names, VALID_MS);
    return { cert: cert + this.#keys.chain, key, ca };
  }
}
