/** A kubeconfig as kubeadm writes it: one context that counts, credentials inside or in files beside it. */
import { parse } from 'yaml';
import type { Host } from '../host/host.ts';

export interface ApiAccess {
  /** URL of the API server. */
  server: string;
  /** PEM. */
  ca?: string;
  certificate?: string;
  key?: string;
}

interface Kubeconfig {
  'current-context'?: string;
  contexts?: { name?: string; context?: { cluster?: string; user?: string } }[];
  clusters?: { name?: string; cluster?: Record<string, unknown> }[];
  users?: { name?: string; user?: Record<string, unknown> }[];
}

/** Undefined where there is no such file, or none that names a server. @throws HostError */
export async function readKubeconfig(host: Host, path: string): Promise<ApiAccess | undefined> {
  const text = (await host.files.readIfPresent(path, 1024 * 1024))?.toString('utf8');
  const config = text === undefined ? undefined : parseKubeconfig(text);
  const context = config?.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.user)?.user ?? {};
  const server = cluster?.server;
  if (cluster === undefined || typeof server !== 'string' || !URL.canParse(server)) return undefined;
  const [ca, certificate, key] = await Promise.all([
    pem(host, cluster, 'certificate-authority'),
    pem(host, user, 'client-certificate'),
    pem(host, user, 'client-key'),
  ]);
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}

function parseKubeconfig(text: string): Kubeconfig | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Torn by a power loss, or not YAML: there is no access to be had from it.
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
