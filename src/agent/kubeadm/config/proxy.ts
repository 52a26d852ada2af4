import { BlockList, isIP } from 'node:net';
import type { KubeadmConfig } from './config.ts';
import type { CallReading } from './read-call.ts';

/**
 * Does kubeadm ask a proxy for this API server? A direct connection proves nothing then.
 *
 * @param endpoint `host:port`.
 * @param variable Value of an environment variable, as kubeadm will see it.
 */
export function goesThroughProxy(endpoint: string, variable: (name: string) => string | undefined): boolean {
  const proxy = variable('HTTPS_PROXY') ?? variable('https_proxy') ?? '';
  if (proxy === '') return false;
  const name = endpoint.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const except = (variable('NO_PROXY') ?? variable('no_proxy') ?? '').split(',').map((part) => part.trim());
  return !except.some(
    (part) =>
      part !== '' &&
      (part === '*' ||
        name === part.replace(/(?<=[\d.]):\d+$/, '') ||
        name.endsWith(`.${part.replace(/^\*?\./, '')}`) ||
        isWithin(name, part)),
  );
}

/** Go takes address ranges for addresses, and only for these. */
function isWithin(address: string, range: string): boolean {
  const [, network = '', bits] = /^([\d.:a-fA-F]+)\/(\d{1,3})$/.exec(range) ?? [];
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), kind);
  return list.check(address, kind);
}

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
