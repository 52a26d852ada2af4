import type { Server } from 'node:http';
import { createPlainServer } from './plain-server.ts';
import type { Registry } from './registry.ts';

/** For a cluster's probes alone: who reads metrics does not stand in their way. */
export function createProbeServer(ready: () => string | undefined): Server {
  return createPlainServer({
    '/healthz': () => ({ status: 200, text: 'ok\n' }),
    '/readyz': () => {
      const why = ready();
      return why === undefined ? { status: 200, text: 'ok\n' } : { status: 503, text: `${why}\n` };
    },
  });
}

/** For Prometheus. */
export function createMetricsServer(metrics: Registry): Server {
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  return createPlainServer({ '/metrics': () => ({ status: 200, text: metrics.text(), type }) });
}
