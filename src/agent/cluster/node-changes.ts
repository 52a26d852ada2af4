import { type Host, HostError } from '../host/host.ts';
import type { ApiAccess } from './kubeconfig.ts';

/** A Node has up to 1.5 MiB, and a watch sends it whole each time. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Has the API server tell when a Node changes, over one request that stays open (a watch; kubelets may watch their own Node).
 * What it sends is not read, only that it sends: whoever is told looks for himself. Resolves when the watch is over, whoever
 * ended it; never throws for what the network or the API server do.
 */
export async function watchNode(
  host: Host,
  { server, ...credentials }: ApiAccess,
  name: string,
  { limitMs, signal, changed }: { limitMs: number; signal: AbortSignal; changed: () => void },
): Promise<void> {
  const client = host.network.client(credentials);
  const url = new URL('/api/v1/nodes', server);
  url.searchParams.set('watch', 'true');
  url.searchParams.set('fieldSelector', `metadata.name=${name}`);
  url.searchParams.set('timeoutSeconds', String(Math.ceil(limitMs / 1000)));
  try {
    await client.send({
      ...{ method: 'GET', url: url.href, headers: { accept: 'application/json' } },
      ...{ timeoutMs: limitMs, maxBytes: MAX_BYTES, signal },
      sink: async () => changed(),
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  } finally {
    client.close();
  }
}
