/** What the kubelet of this machine knows: where its API server is and who it is there. */
import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import type { Host } from '../../host/host.ts';

export const KUBELET_KUBECONFIG = '/etc/kubernetes/kubelet.conf';

const MANIFEST = '/etc/kubernetes/manifests/kube-apiserver.yaml';

export interface KubeletIdentity {
  /** URL of the API server; on a control plane its own. */
  server: string;
  /** PEM. */
  ca?: string;
  certificate: string;
  key: string;
  /** The name in the certificate: the Node this kubelet may write. */
  nodeName?: string;
}

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name?: string; context?: { cluster?: string; user?: string } }[];
  clusters?: { name?: string; cluster?: Record<string, unknown> }[];
  users?: { name?: string; user?: Record<string, unknown> }[];
}

/** Undefined where there is no kubeconfig, or no client certificate in it yet. @throws HostError */
export async function readKubeletIdentity(host: Host): Promise<KubeletIdentity | undefined> {
  const text = (await host.files.readIfPresent(KUBELET_KUBECONFIG))?.toString('utf8');
  const config = text === undefined ? undefined : parseKubeconfig(text);
  const context = config?.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.user)?.user;
  const configured = cluster?.server;
  if (typeof configured !== 'string' || user === undefined) return undefined;
  const server = (await localApiServer(host)) ?? configured;
  const [ca, certificate, key] = await Promise.all([
    pem(host, cluster ?? {}, 'certificate-authority'),
    pem(host, user, 'client-certificate'),
    pem(host, user, 'client-key'),
  ]);
  if (certificate === undefined || key === undefined) return undefined;
  const nodeName = nameIn(certificate);
  return {
    server,
    certificate,
    key,
    ...(ca === undefined ? {} : { ca }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

/**
 * A control plane asks its own API server, where kubeadm has noted its address: a load balancer may not have taken note
 * of this machine yet, or may not let it reach itself.
 */
async function localApiServer(host: Host): Promise<string | undefined> {
  const manifest = (await host.files.readIfPresent(MANIFEST))?.toString('utf8') ?? '';
  const endpoint = /kube-apiserver\.advertise-address\.endpoint: *"?([^\s"]+)/.exec(manifest)?.[1];
  return endpoint === undefined ? undefined : `https://${endpoint}`;
}

function parseKubeconfig(text: string): Kubeconfig | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not YAML: there is no identity to be had from it.
    return undefined;
  }
}

/** The value itself in base64, or the path of a file that holds it. */
async function pem(host: Host, from: Record<string, unknown>, name: string): Promise<string | undefined> {
  const data = from[`${name}-data`];
  if (typeof data === 'string' && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const path = from[name];
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
  return (await host.files.readIfPresent(path))?.toString('utf8');
}

function nameIn(certificate: string): string | undefined {
  try {
    return /^CN=system:node:(.+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
  } catch {
    // Half written, or no certificate: who it is for will be seen at the next look.
    return undefined;
  }
}
