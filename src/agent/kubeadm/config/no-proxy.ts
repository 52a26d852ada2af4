/** What a node reaches directly though it has a proxy: itself, its cluster's networks, its API server. */

import type { KubeadmConfig } from './config.ts';
import type { CallReading } from './read-call.ts';

const ALWAYS = ['localhost', '127.0.0.1', '::1', '.svc'];
/** kubeadm's default; a joining node is not told, so it is assumed there too. */
const SERVICE_SUBNET = '10.96.0.0/12';
const DNS_DOMAIN = 'cluster.local';

/**
 * Names, addresses and networks for NO_PROXY, without doubles. The networks of the cluster are in the
 * configuration of an init only; nobody tells a join, so the default of kubeadm is taken and others have to
 * be given.
 *
 * @param call What cannot be read there is left to kubeadm to complain of.
 */
export function noProxy(
  except: readonly string[],
  call: Pick<CallReading, 'command' | 'config'> | undefined,
): string[] {
  const known = call?.config === undefined ? [] : clusterHosts(call.config);
  const further = (call?.command.endpoints ?? []).map(hostOf);
  return [...new Set([...ALWAYS, ...known, ...further, ...except])];
}

function clusterHosts({
  dnsDomain = DNS_DOMAIN,
  serviceSubnets,
  podSubnets,
  endpoints,
  advertiseAddress,
}: KubeadmConfig): string[] {
  return [
    `.${dnsDomain}`,
    ...(serviceSubnets.length > 0 ? serviceSubnets : [SERVICE_SUBNET]),
    ...podSubnets,
    ...endpoints.map(hostOf),
    ...(advertiseAddress === undefined ? [] : [advertiseAddress]),
  ];
}

function hostOf(endpoint: string): string {
  return endpoint.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
