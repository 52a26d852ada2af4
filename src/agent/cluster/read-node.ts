/** Asks the API server for a Node. The Node's own kubelet may ask, and so may the bearer of a token. */
import { type Host, HostError } from '../host/host.ts';
import { type ApiAccess, bearerHeader } from './kubeconfig.ts';
import { capacityOf, type NodeCapacity } from './node-capacity.ts';

export interface ClusterNode {
  /** Undefined as long as no kubelet has said anything about it. */
  ready?: boolean;
  /** Why it is or is not Ready, in the kubelet's words: one of them, and a sentence. */
  reason?: string;
  message?: string;
  providerId?: string;
  /** Its IP addresses (InternalIP, ExternalIP); names do not count. */
  addresses: readonly string[];
  /** A cloud controller has yet to set what it knows of the machine, its addresses too. */
  awaitsCloud: boolean;
  /** These two belong to the machine whose kubelet registered the Node. */
  bootId?: string;
  systemUuid?: string;
  capacity: NodeCapacity;
}

export type NodeAnswer =
  | { kind: 'node'; node: ClusterNode }
  | { kind: 'missing' }
  /** The API server does not let the asker look (401, 403) or cannot answer (5xx). */
  | { kind: 'refused'; status: number }
  /** Nobody answers, or something that is no API server, such as a proxy with a page of its own. */
  | { kind: 'unreachable'; problem: string };

/** The kubelet's taint where a cloud controller is to come. */
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const LIMIT_MS = 5_000;
/** etcd takes no object of more than 1.5 MiB. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Never throws for what the network or the API server do. */
export async function readNode(host: Host, access: ApiAccess, name: string): Promise<NodeAnswer> {
  const { server, token, ...credentials } = access;
  const client = host.network.client(credentials);
  try {
    const { status, body } = await client.send({
      method: 'GET',
      url: new URL(`/api/v1/nodes/${encodeURIComponent(name)}`, server).href,
      headers: {
        accept: 'application/json',
        ...bearerHeader(token),
      },
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
    });
    if (status === 404) return { kind: 'missing' };
    if (status !== 200) return { kind: 'refused', status };
    const node = parseNode(body);
    return node === undefined
      ? { kind: 'unreachable', problem: 'the server there is not an API server' }
      : { kind: 'node', node };
  } catch (error) {
    if (error instanceof HostError) return { kind: 'unreachable', problem: error.errno };
    throw error;
  } finally {
    client.close();
  }
}

/** What is read of it; anything can be anything. */
interface NodeObject {
  kind?: unknown;
  metadata?: unknown;
  spec?: { providerID?: unknown; taints?: unknown } | null;
  status?: {
    conditions?: unknown;
    addresses?: unknown;
    nodeInfo?: { bootID?: unknown; systemUUID?: unknown } | null;
  } | null;
}

/** Undefined where the body is no Node. */
function parseNode(body: string): ClusterNode | undefined {
  let object: NodeObject | null;
  try {
    object = JSON.parse(body) as NodeObject | null;
  } catch {
    return undefined;
  }
  if (object?.kind !== 'Node') return undefined;
  const { spec, status } = object;
  const conditions = itemsOf(status?.conditions);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const taints = itemsOf(spec?.taints);
  const texts = {
    reason: ready?.reason,
    message: ready?.message,
    providerId: spec?.providerID,
    bootId: status?.nodeInfo?.bootID,
    systemUuid: status?.nodeInfo?.systemUUID,
  };
  return {
    capacity: capacityOf(object),
    addresses: itemsOf(status?.addresses).flatMap(({ type, address }) =>
      typeof address === 'string' && (type === 'InternalIP' || type === 'ExternalIP') ? [address] : [],
    ),
    awaitsCloud: taints.some(({ key }) => key === UNINITIALIZED),
    ...(ready ? { ready: ready.status === 'True' } : {}),
    ...Object.fromEntries(
      Object.entries(texts).filter(([, value]) => typeof value === 'string' && value !== ''),
    ),
  };
}

function itemsOf(list: unknown): Record<string, unknown>[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.filter((item) => typeof item === 'object' && item !== null) as Record<string, unknown>[];
}
