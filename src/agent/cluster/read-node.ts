/** This machine's Node object, asked for as its own kubelet may. */
import { type Host, HostError } from '../host/host.ts';
import type { KubeletIdentity } from './kubelet-identity.ts';

export interface NodeView {
  providerId?: string;
  ready: boolean;
  /** Why it is not Ready, in the kubelet's words. */
  why?: string;
}

export type NodeAnswer =
  | { kind: 'node'; node: NodeView }
  | { kind: 'missing' }
  /** The API server does not let this kubelet look (401, 403) or cannot answer (5xx). */
  | { kind: 'refused'; status: number }
  | { kind: 'unreachable'; problem: string };

const LIMIT_MS = 5_000;

/** Never throws for what the network or the API server do. */
export async function readNode(host: Host, identity: KubeletIdentity, name: string): Promise<NodeAnswer> {
  const { server, ca, certificate, key } = identity;
  const url = new URL(`/api/v1/nodes/${encodeURIComponent(name)}`, server).href;
  try {
    const answer = await host.network.get(url, {
      timeoutMs: LIMIT_MS,
      certificate,
      key,
      ...(ca === undefined ? {} : { ca }),
    });
    if (answer.status === 404) return { kind: 'missing' };
    return answer.status === 200
      ? { kind: 'node', node: parseNode(answer.body) }
      : { kind: 'refused', status: answer.status };
  } catch (error) {
    if (error instanceof HostError || !(error instanceof Error)) throw error;
    return { kind: 'unreachable', problem: 'code' in error ? String(error.code) : error.message };
  }
}

/** A long list of images may cut the text off; what is looked for stands before them. */
export function parseNode(text: string): NodeView {
  const providerId = /"providerID":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const condition = /\{[^{}]*"type":\s*"Ready"[^{}]*\}/.exec(text)?.[0];
  const ready = condition === undefined ? undefined : (JSON.parse(condition) as Record<string, unknown>);
  const why = [ready?.reason, ready?.message].filter((part) => typeof part === 'string').join(': ');
  return {
    ready: ready?.status === 'True',
    ...(providerId === undefined ? {} : { providerId: JSON.parse(providerId) as string }),
    ...(why === '' ? {} : { why }),
  };
}
