import { readApiServer } from '../../../src/agent/diagnosis/evidence/api-server.ts';
import type { Host } from '../../../src/agent/host/host.ts';

/**
 * Asks as kubeadm's discovery does while it waits, for a crowd of which no machine can run a thousand real ones: every five
 * seconds and up to 30 % more, each time by a client of its own (kubeadm 1.20, app/discovery/token: JitterUntil with
 * DiscoveryRetryInterval and a factor of 0.3; newer ones poll without a factor). That is what its source says; how long a
 * real one waits is not measured here.
 */
export async function kubeadmLike(
  host: Host,
  { endpoint, tokenId, signal }: { endpoint: string; tokenId: string; signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted) {
    const { clusterInfo } = await readApiServer(host, endpoint, 10_000);
    if (clusterInfo?.signedBy.includes(tokenId)) return true;
    await host.clock.sleep(5_000 * (1 + 0.3 * host.random()), signal).catch(() => undefined);
  }
  return false;
}
