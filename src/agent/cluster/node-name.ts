/**
 * A Node of this machine's name that is still Ready: either the machine that had the name before is gone, and the cluster
 * notices when its grace period has passed, or another machine lives under it. Watching tells the two apart.
 */
import { PAUSE_MS } from '../../kit/backoff.ts';
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { Host } from '../host/host.ts';
import { type ClusterNode, readNode } from './read-node.ts';

interface NameSpec {
  /** `host:port` of the API server. */
  endpoint: string;
  /** PEM of the cluster's authority. */
  ca: string;
  /** Every bootstrap token may read Nodes (kubeadm 1.18 and newer). */
  token: Sensitive<string>;
  nodeName: string;
  signal: AbortSignal;
  onProgress(message: string): void;
  /** Milliseconds. */
  graceMs?: number;
}

export type NameVerdict =
  /** No Node of that name is Ready any more. */
  | 'free'
  /** Somebody else's kubelet keeps it Ready. */
  | 'taken'
  /** An attempt before of this very machine registered it, and the cluster has not noticed that its kubelet ended. */
  | 'own'
  /** It cannot be seen. */
  | 'unknown';

/** The controller's default was 40 s up to 1.31 and is 50 s since; it looks every five seconds. */
const GRACE_MS = 70_000;
/** After this many failed looks in a row the name counts as unknown. */
const MAX_UNSEEN = 5;

/** Waits until the name is free, or it is known that it will not be. Never throws for what the network does. */
export async function awaitNodeName(host: Host, spec: NameSpec): Promise<NameVerdict> {
  const { endpoint, ca, token, nodeName, signal, onProgress, graceMs = GRACE_MS } = spec;
  const until = host.clock.monotonic() + graceMs;
  let seen: ClusterNode | undefined;
  let unseen = 0;
  onProgress(
    `waiting up to ${Math.round(graceMs / 1000)} s for the cluster to give up the Node ${nodeName} of an earlier machine`,
  );
  for (;;) {
    const answer = await readNode(host, { server: `https://${endpoint}`, ca, token }, nodeName);
    if (answer.kind === 'missing' || (answer.kind === 'node' && !answer.node.ready)) return 'free';
    if (answer.kind === 'node') seen = answer.node;
    unseen = answer.kind === 'node' ? 0 : unseen + 1;
    if (signal.aborted || unseen >= MAX_UNSEEN) return 'unknown';
    if (host.clock.monotonic() >= until) break;
    await host.clock.sleep(PAUSE_MS.nodeName, signal).catch(() => undefined);
  }
  if (seen === undefined) return 'unknown';
  return (await isThisMachine(host, seen)) ? 'own' : 'taken';
}

/** Did an earlier attempt of this very machine register the Node? */
async function isThisMachine(host: Host, { bootId, systemUuid }: ClusterNode): Promise<boolean> {
  if (bootId !== undefined && bootId === (await host.bootId())) return true;
  const uuid = (await host.files.readIfPresent('/sys/class/dmi/id/product_uuid', 4096))
    ?.toString('utf8')
    .trim();
  return uuid !== undefined && uuid !== '' && uuid.toLowerCase() === systemUuid?.toLowerCase();
}
