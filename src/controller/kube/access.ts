import { ExpectedError } from '../../kit/errors.ts';
import type { Limits } from './untrusted/limits.ts';

/** The address of an API server, and the credentials. */
export interface Access {
  /** Base URL; `http://` only in tests on one machine. */
  readonly server: URL;
  /** The API server's authority in PEM; default: the system's. */
  readonly ca?: string;
  readonly serverName?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /**
   * Called for every request, because pods' tokens are renewed. `refused` is a token that the API server has
   * refused.
   */
  readonly token?: (refused?: string) => string | undefined;
  /** The proxy to it, if any. */
  readonly proxy?: URL;
  /** Somebody else than the operator named this server: what it may cost, and that not every address is connected to. */
  readonly limits?: Limits;
  /** The default namespace. */
  readonly namespace: string;
}

/** Nobody said how to reach the API server, or it cannot be used. */
export class AccessError extends ExpectedError {
  override readonly name = 'AccessError';
}
