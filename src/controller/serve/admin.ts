import type { Server } from 'node:http';
import type { Registry } from '../web/registry.ts';
import { createMetricsServer, createProbeServer } from '../web/servers.ts';
import type { Listen } from './settings.ts';

/** What a cluster asks of any of the controller's processes: its metrics and its probes. */
export class AdminServers {
  readonly #metrics: Server;
  readonly #probes: Server;

  /** @param ready why it cannot do its work yet; undefined if it can */
  constructor(metrics: Registry, ready: () => string | undefined) {
    this.#metrics = createMetricsServer(metrics);
    this.#probes = createProbeServer(ready);
  }

  /** @returns the port of metrics */
  serveMetrics(at: Listen): Promise<number> {
    return listen(this.#metrics, at);
  }

  /** @returns the port of probes */
  serveProbes(at: Listen): Promise<number> {
    return listen(this.#probes, at);
  }

  close(): void {
    for (const server of [this.#metrics, this.#probes]) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function listen(server: Server, { port, host }: Listen): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
