import type { Host } from '../host/host.ts';
import { type KubeletIdentity, readKubeletIdentity } from './kubelet-identity.ts';
import { type ClusterNode, readNode } from './read-node.ts';
import { ObjectChangeWaiter, ownNode } from './watch-object.ts';

type Readiness = { ready: true; ms: number } | { ready: false; why: string };

/**
 * Waits for `limitMs` at most until this machine's Node is Ready; else says why it is not, in the cluster's words. The API
 * server tells when the Node changes; where it does not, it is asked, ever less often.
 */
export async function awaitReady(host: Host, limitMs: number, signal: AbortSignal): Promise<Readiness> {
  const started = host.clock.monotonic();
  const alarm = new ObjectChangeWaiter(host, limitMs, signal);
  try {
    for (;;) {
      const { why, identity } = await look(host);
      const ms = host.clock.monotonic() - started;
      if (why === undefined) return { ready: true, ms };
      if (ms >= limitMs || signal.aborted) return { ready: false, why };
      alarm.set(ownNode(identity));
      await alarm.pause(limitMs - ms);
    }
  } finally {
    alarm.close();
  }
}

async function look(host: Host): Promise<{ why: string | undefined; identity?: KubeletIdentity }> {
  const identity = await readKubeletIdentity(host);
  if (identity?.nodeName === undefined) return { why: 'the kubelet has no node certificate' };
  return { why: await notReady(host, identity, identity.nodeName), identity };
}

async function notReady(host: Host, identity: KubeletIdentity, name: string): Promise<string | undefined> {
  const answer = await readNode(host, identity, name);
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
  return [reason, message].filter((part) => part !== undefined).join(': ') || 'no reason given';
}
