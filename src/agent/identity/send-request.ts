import type { HttpRequest, HttpResponse } from '../host/network.ts';

/** Sends a request to the controller; the caller has chosen endpoint and certificate. */
export type SendRequest = (
  path: string,
  body: Uint8Array,
  exporter?: HttpRequest['exporter'],
) => Promise<HttpResponse>;
