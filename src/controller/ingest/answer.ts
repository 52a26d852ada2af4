import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

const DISCARD_MS = 1_000;

/** Answers with JSON, unless it is too late for it. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  { close, retryAfterMs }: { close?: boolean; retryAfterMs?: number | undefined } = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const text = Buffer.from(JSON.stringify(body));
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'content-length': text.length,
    ...(close ? { connection: 'close' } : {}),
    ...(retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  };
  response.writeHead(status, headers);
  response.end(text);
}

/**
 * Discards the rest of a body for a short time, so that the answer gets through: closing a connection with
 * unread bytes would take the answer with it.
 */
export function discard(request: IncomingMessage): void {
  const { socket } = request;
  request.resume();
  const end = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.once('close', () => clearTimeout(end));
}
