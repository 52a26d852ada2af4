import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/** Answers a cluster's probes and Prometheus over plain HTTP, for use inside a cluster. */
export function createAdminServer(metrics: Metrics, ready: () => string | undefined): Server {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'only GET\n');
    else if (path === '/healthz') answer(200, 'ok\n');
    else if (path === '/readyz') {
      const why = ready();
      if (why === undefined) answer(200, 'ok\n');
      else answer(503, `${why}\n`);
    } else if (path === '/metrics') answer(200, metrics.text(), 'text/plain; version=0.0.4; charset=utf-8');
    else answer(404, 'there is /healthz, /readyz and /metrics\n');
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  server.maxConnections = 64;
  return server;
}
