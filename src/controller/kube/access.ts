import { ExpectedError } from '../../kit/errors.ts';

/** How to reach an API server and as whom. */
export interface Access {
  /** Base URL, `https://` only outside of tests on one machine. */
  readonly server: URL;
  /** The authority of the API server in PEM; the system's when absent. */
  readonly ca?: string;
  readonly serverName?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Asked at every request: tokens of pods are renewed under way. `refused` is one that the API server does not take. */
  readonly token?: (refused?: string) => string | undefined;
  /** Through which it is reached. */
  readonly proxy?: URL;
  /** Namespace where none is said. */
  readonly namespace: string;
}

/** The API server cannot be reached because nobody said how, or what was said is unusable. */
export class AccessError extends ExpectedError {
  override readonly name = 'AccessError';
}
