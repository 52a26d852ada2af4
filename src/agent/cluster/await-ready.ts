import type { Host } from '../host/host.ts';
import { readKubeletIdentity } from './kubelet-identity.ts';
import { type ClusterNode, readNode } from './read-node.ts';

export type Readiness = { ready: true; ms: number } | { ready: false; why: string };

const PAUSE_MS = 500;

/** Waits for `limitMs` at most until this machine's Node is Ready; else says why it is not, in the cluster's words. */
export async function awaitReady(host: Host, limitMs: number, signal: AbortSignal): Promise<Readiness> {
  const started = host.clock.monotonic();
  for (;;) {
    const why = await notReady(host);
    const ms = host.clock.monotonic() - started;
    if (why === undefined) return { ready: true, ms };
    if (ms >= limitMs || signal.aborted) return { ready: false, why };
    await host.clock.sleep(PAUSE_MS, signal).catch(() => undefined);
  }
}

async function notReady(host: Host): Promise<string | undefined> {
  const identity = await readKubeletIdentity(host);
  if (identity?.nodeName === undefined) return 'the kubelet has no certificate of a node';
  const answer = await readNode(host, identity, identity.nodeName);
  switch (answer.kind) {
    case 'node':
      return answer.node.ready ? undefined : whyNot(answer.node);
    case 'missing':
      return 'it is not in the cluster';
    case 'unreachable':
      return `the API server ${identity.server} cannot be reached (${answer.problem})`;
    default:
      return `the API server ${identity.server} answers with HTTP status ${answer.status}`;
  }
}

function whyNot({ reason, message }: ClusterNode): string {
  return [reason, message].filter((part) => part !== undefined).join(': ') || 'it has not said why';
}
