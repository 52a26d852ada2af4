import type { HttpAnswer, HttpRequest } from '../host/network.ts';

/** Sends a request to the controller; the caller has chosen endpoint and certificate. */
export type Send = (
  path: string,
  body: Uint8Array,
  exporter?: HttpRequest['exporter'],
) => Promise<HttpAnswer>;
