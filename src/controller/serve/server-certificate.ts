import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ExpectedError } from '../../kit/errors.ts';
import type { Authority } from '../../pki/authority.ts';
import type { TlsFiles } from '../ingest/server.ts';
import { type Log, reason } from '../log.ts';
import type { ServeSettings } from './settings.ts';

const VALID_MS = 30 * 86_400_000;
const LOOK_MS = 10_000;

/**
 * The server's certificate: one from its own authority, renewed long before it expires, or files that
 * somebody else renews. It changes without a restart.
 */
export class ServerCertificate {
  readonly #settings: Pick<ServeSettings, 'names' | 'tlsFiles'>;
  readonly #authority: Authority;
  readonly #log: Log;
  #current: TlsFiles;
  #renewAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @throws Error if the files are unreadable or do not belong together */
  constructor(settings: Pick<ServeSettings, 'names' | 'tlsFiles'>, authority: Authority, log: Log) {
    this.#settings = settings;
    this.#authority = authority;
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
        const next = this.#settings.tlsFiles || Date.now() > this.#renewAt ? this.#make() : this.#current;
        if (next.cert === this.#current.cert && next.key === this.#current.key) return;
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
    const ca = this.#authority.certificate;
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
    const { cert, key } = this.#authority.server(names, VALID_MS);
    return { cert, key, ca };
  }
}
