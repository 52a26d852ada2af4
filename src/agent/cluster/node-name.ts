import type { Sensitive } from '../../kit/sensitive.ts';
/**
 * A Node of this machine's name that is still Ready: either the machine that had the name before is gone, and the cluster
 * notices when its grace period has passed, or another machine lives under it. Watching tells the two apart.
 */
import { type Host, HostError } from '../host/host.ts';

export interface NameSpec {
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
  /** It cannot be seen, or it is this machine's own and the cluster has not noticed yet. */
  | 'unknown';

/** The controller's default was 40 s up to 1.31 and is 50 s since; it looks every five seconds. */
const GRACE_MS = 70_000;
const PAUSE_MS = 2_000;
const LIMIT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
/** So many times in a row it may be impossible to ask. */
const MAX_UNSEEN = 5;

interface NodeSeen {
  ready: boolean;
  bootId: string;
  systemUuid: string;
}

/** Waits until the name is free, or it is known that it will not be. Never throws for what the network does. */
export async function awaitNodeName(host: Host, spec: NameSpec): Promise<NameVerdict> {
  const { nodeName, signal, onProgress, graceMs = GRACE_MS } = spec;
  const until = host.clock.monotonic() + graceMs;
  const client = host.network.client({ ca: spec.ca });
  let seen: NodeSeen | undefined;
  let unseen = 0;
  onProgress(
    `waiting up to ${Math.round(graceMs / 1000)} s for the Node ${nodeName} of an earlier machine to be given up by the cluster`,
  );
  try {
    for (;;) {
      const answer = await ask(client, spec);
      if (answer === 'missing' || (typeof answer === 'object' && !answer.ready)) return 'free';
      if (typeof answer === 'object') seen = answer;
      unseen = answer === 'unseen' ? unseen + 1 : 0;
      if (signal.aborted || unseen >= MAX_UNSEEN) return 'unknown';
      if (host.clock.monotonic() >= until) break;
      await host.clock.sleep(PAUSE_MS, signal).catch(() => undefined);
    }
  } finally {
    client.close();
  }
  if (seen === undefined || (await isThisMachine(host, seen))) return 'unknown';
  return 'taken';
}

async function ask(
  client: ReturnType<Host['network']['client']>,
  { endpoint, token, nodeName }: NameSpec,
): Promise<NodeSeen | 'missing' | 'unseen'> {
  try {
    const answer = await client.send({
      method: 'GET',
      url: `https://${endpoint}/api/v1/nodes/${encodeURIComponent(nodeName)}`,
      headers: { authorization: `Bearer ${token.reveal()}` },
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
    });
    if (answer.status === 404) return 'missing';
    return (answer.status === 200 ? parseNode(answer.body) : undefined) ?? 'unseen';
  } catch (error) {
    if (error instanceof HostError) return 'unseen';
    throw error;
  }
}

interface NodeStatus {
  conditions?: unknown;
  nodeInfo?: { bootID?: unknown; systemUUID?: unknown };
}

/** Undefined where the body is no Node, such as the page of a proxy. */
function parseNode(body: string): NodeSeen | undefined {
  let status: NodeStatus | undefined;
  try {
    status = (JSON.parse(body) as { status?: NodeStatus } | null)?.status;
  } catch {
    return undefined;
  }
  if (!Array.isArray(status?.conditions)) return undefined;
  const { conditions, nodeInfo } = status;
  return {
    ready: conditions.some(
      (one: Record<string, unknown> | null) => one?.type === 'Ready' && one.status === 'True',
    ),
    bootId: textOf(nodeInfo?.bootID),
    systemUuid: textOf(nodeInfo?.systemUUID),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An earlier attempt of this very machine registered the Node. */
async function isThisMachine(host: Host, { bootId, systemUuid }: NodeSeen): Promise<boolean> {
  if (bootId !== '' && bootId === (await host.bootId())) return true;
  const uuid = (await host.files.readIfPresent('/sys/class/dmi/id/product_uuid', 4096))
    ?.toString('utf8')
    .trim();
  return uuid !== undefined && uuid !== '' && uuid.toLowerCase() === systemUuid.toLowerCase();
}
