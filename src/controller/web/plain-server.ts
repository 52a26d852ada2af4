import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';

interface PlainAnswer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** Whoever asks gets an answer at once, so more are never needed. */
const MAX_OPEN = 64;

/**
 * Answers GET and HEAD over plain HTTP, for use inside a cluster. Each connection is for one question. Where
 * too many are open, the oldest goes, so that those who say nothing keep nobody out.
 *
 * @param paths an answer for each path
 */
export function createPlainServer(paths: Readonly<Record<string, () => PlainAnswer>>): Server {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answer = !isRead
      ? { status: 405, text: 'only GET\n' }
      : Object.hasOwn(paths, path)
        ? paths[path]?.()
        : undefined;
    const found = answer ?? { status: 404, text: `there is ${Object.keys(paths).join(' and ')}\n` };
    const { status, text, type = 'text/plain; charset=utf-8' } = found;
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    for (const oldest of open) {
      if (open.size <= MAX_OPEN) break;
      open.delete(oldest);
      oldest.destroy();
    }
    socket.once('close', () => open.delete(socket));
  });
  return server;
}
