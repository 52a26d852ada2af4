import { X509Certificate } from 'node:crypto';
import type { NodeObservedEvent } from '../../../protocol/events.ts';
import { type Host, HostError } from '../../host/host.ts';
import { Report } from '../../text/report.ts';
import { plainText } from '../../text/source-text.ts';
import type { Node as YamlNode } from '../../text/yaml/node.ts';
import { parseYaml } from '../../text/yaml/parse.ts';

/** What kubeadm leaves on every node: how the kubelet reaches the API server, and as whom. */
export const KUBELET_CONF = '/etc/kubernetes/kubelet.conf';
const HEALTH = 'http://127.0.0.1:10248/healthz';
const TIMEOUT_MS = 3000;
/** A Node object with many images and annotations. */
const MAX_NODE_BYTES = 1024 * 1024;

export interface NodeSight {
  observed: NodeObservedEvent;
  providerID?: string;
}

/**
 * Looks at the Node with the kubelet's own credentials, which may read that one object (the Node authorizer).
 * Undefined while there is nothing to see.
 */
export async function lookAtNode(host: Host): Promise<NodeSight | undefined> {
  try {
    const access = await kubeletAccess(host);
    if (!access) return undefined;
    return (await askApiServer(host, access)) ?? (await askKubelet(host, access.node));
  } catch (error) {
    // Not there yet, not reachable yet, or no longer: the next look tells.
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

interface Access {
  node: string;
  server: string;
  ca: string;
  certificate: string;
  key: string;
}

async function kubeletAccess(host: Host): Promise<Access | undefined> {
  const config = (await host.files.readIfPresent(KUBELET_CONF, 1024 * 1024))?.toString('utf8');
  const root = config === undefined ? undefined : parseYaml(plainText(config), new Report());
  const server = textAt(root, ['clusters', 0, 'cluster', 'server']);
  const ca = textAt(root, ['clusters', 0, 'cluster', 'certificate-authority-data']);
  const user = ['users', 0, 'user'] as const;
  const pem = async (name: string) => {
    const data = textAt(root, [...user, `${name}-data`]);
    if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
    const path = textAt(root, [...user, name]);
    return path === undefined ? undefined : (await host.files.read(path)).toString('utf8');
  };
  const [certificate, key] = [await pem('client-certificate'), await pem('client-key')];
  if (!server?.startsWith('https://') || !ca || !certificate || !key) return undefined;
  const node = /^CN=system:node:(.+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
  return node
    ? { node, server, ca: Buffer.from(ca, 'base64').toString('utf8'), certificate, key }
    : undefined;
}

async function askApiServer(host: Host, access: Access): Promise<NodeSight | undefined> {
  const { node, server, ca, certificate, key } = access;
  const client = host.network.client({ ca, certificate, key });
  try {
    const answer = await client.send({
      method: 'GET',
      url: `${server}/api/v1/nodes/${encodeURIComponent(node)}`,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_NODE_BYTES,
    });
    return answer.status === 200 ? sightOf(node, JSON.parse(answer.body)) : undefined;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}

interface NodeObject {
  spec?: { providerID?: unknown };
  status?: { conditions?: { type?: unknown; status?: unknown; message?: unknown }[] };
}

function sightOf(node: string, { spec, status }: NodeObject): NodeSight {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'registered' : ready.status === 'True' ? 'ready' : 'not-ready';
  const message =
    state === 'not-ready' && typeof ready?.message === 'string' ? { message: ready.message } : {};
  const providerID =
    typeof spec?.providerID === 'string' && spec.providerID ? { providerID: spec.providerID } : {};
  return { observed: { type: 'node.observed', node, state, ...message }, ...providerID };
}

async function askKubelet(host: Host, node: string): Promise<NodeSight | undefined> {
  const client = host.network.client({});
  try {
    const answer = await client.send({ method: 'GET', url: HEALTH, timeoutMs: TIMEOUT_MS });
    const observed = { type: 'node.observed', node, state: 'kubelet-healthy' } as const;
    return answer.status === 200 ? { observed } : undefined;
  } finally {
    client.close();
  }
}

function textAt(
  node: YamlNode | undefined,
  [head, ...rest]: readonly (string | number)[],
): string | undefined {
  if (head === undefined) return node?.kind === 'string' ? node.value : undefined;
  if (typeof head === 'number') return node?.kind === 'sequence' ? textAt(node.items[head], rest) : undefined;
  if (node?.kind !== 'mapping') return undefined;
  return textAt(node.entries.find(({ key }) => key.kind === 'string' && key.value === head)?.value, rest);
}
