import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '../../../src/agent/create-host.ts';
import type { Host } from '../../../src/agent/host/host.ts';
import { awaitCluster } from '../../../src/agent/kubeadm/run/await-cluster.ts';
import { kubeadmLike } from './kubeadm-like.ts';

/** One machine that waits for the cluster. */
interface Joiner {
  /** Milliseconds since 1970. */
  beganAt: number;
  /** Requests that it sent, and how many of them found nobody. */
  requests: number;
  unanswered: number;
  connections: number;
  /** Milliseconds since 1970 when it knew that it can join; undefined: it gave up. */
  joinableAt?: number;
}

/** When each request of all machines was sent, in milliseconds since 1970. */
export interface Crowd {
  joiners: Joiner[];
  sentAt: number[];
}

export interface CrowdSpec {
  who: 'slipway' | 'kubeadm';
  endpoint: string;
  tokenId: string;
  machines: number;
  /** They begin within so many milliseconds, evenly. */
  withinMs: number;
  limitMs: number;
}

/** A host whose requests are counted; all else is the real one. */
function counted(joiner: Joiner, sentAt: number[]): Host {
  const host = createHost();
  return {
    ...host,
    network: {
      ...host.network,
      client(options) {
        const client = host.network.client(options);
        joiner.connections += 1;
        return {
          close: () => client.close(),
          async send(request) {
            joiner.requests += 1;
            sentAt.push(Date.now());
            try {
              return await client.send(request);
            } catch (error) {
              joiner.unanswered += 1;
              throw error;
            }
          },
        };
      },
    },
  };
}

/** Machines that wait for one cluster, in this process: each has its own client, connection and back-off. */
async function crowd(spec: CrowdSpec): Promise<Crowd> {
  const { who, endpoint, tokenId, machines, withinMs, limitMs } = spec;
  const sentAt: number[] = [];
  const joiners = await Promise.all(
    Array.from({ length: machines }, async (_, index): Promise<Joiner> => {
      const joiner: Joiner = { beganAt: 0, requests: 0, unanswered: 0, connections: 0 };
      const host = counted(joiner, sentAt);
      await sleep((withinMs * index) / machines);
      joiner.beganAt = Date.now();
      const signal = AbortSignal.timeout(limitMs);
      const found =
        who === 'kubeadm'
          ? await kubeadmLike(host, { endpoint, tokenId, signal })
          : await awaitCluster(host, {
              ...{ endpoints: [endpoint], tokenId, attempt: 1, limitMs, signal },
              onProgress: () => undefined,
            }).then((cluster) => cluster?.inVain === false);
      if (found) joiner.joinableAt = Date.now();
      return joiner;
    }),
  );
  return { joiners, sentAt };
}

// Called as a program of its own, on the network of the cluster.
if (process.argv[1] === import.meta.filename) {
  const spec = JSON.parse(process.argv[2] ?? '{}') as CrowdSpec;
  process.stdout.write(JSON.stringify(await crowd(spec)));
}
