/** What a node reaches directly though it has a proxy: itself, its cluster's networks, its API server. */
import { isMap, isScalar, type YAMLMap } from 'yaml';
import { readConfig } from './config.ts';
import { readDocuments } from './yaml/config-documents.ts';
import { KubeadmError } from './yaml/failure.ts';

const ALWAYS = ['localhost', '127.0.0.1', '::1', '.svc'];
/** kubeadm's default; a joining node is not told, so it is assumed there too. */
const SERVICE_SUBNET = '10.96.0.0/12';
const DNS_DOMAIN = 'cluster.local';

/**
 * Names, addresses and networks for NO_PROXY, without doubles. The networks of the cluster are in the configuration of
 * an init only; a join is told them by nobody, so the default of kubeadm is taken and others have to be given.
 *
 * @param text The kubeadm configuration; what cannot be read there is left to kubeadm to complain of.
 */
export function noProxy(
  except: readonly string[],
  call: { verb: 'init' | 'join'; args: readonly string[]; endpoints?: readonly string[] } | undefined,
  text: string | undefined,
): string[] {
  const facts = call === undefined ? [] : clusterHosts(call, text);
  const further = (call?.endpoints ?? []).map(hostOf);
  return [...new Set([...ALWAYS, ...facts, ...further, ...except])];
}

function clusterHosts(
  { verb, args }: { verb: 'init' | 'join'; args: readonly string[] },
  text: string | undefined,
): string[] {
  try {
    const config = readConfig({ verb, args, ...(text === undefined ? {} : { text }) });
    const cluster = (text === undefined ? [] : readDocuments(text, 'file')).find(
      ({ own, kind }) => own && kind === 'ClusterConfiguration',
    );
    const networking = cluster?.map.get('networking');
    const own = (key: string): string[] => (isMap(networking) ? scalar(networking as YAMLMap, key) : []);
    const domain = own('dnsDomain')[0] ?? DNS_DOMAIN;
    const subnets = own('serviceSubnet');
    return [
      `.${domain}`,
      ...(subnets.length > 0 ? subnets : [SERVICE_SUBNET]),
      ...own('podSubnet'),
      ...config.endpoints.map(hostOf),
      ...(config.advertiseAddress === undefined ? [] : [config.advertiseAddress]),
    ];
  } catch (error) {
    if (error instanceof KubeadmError) return [];
    throw error;
  }
}

/** With two address families a subnet holds two, with a comma between. */
function scalar(map: YAMLMap, key: string): string[] {
  const node = map.get(key, true);
  if (!isScalar(node) || typeof node.value !== 'string') return [];
  return node.value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function hostOf(endpoint: string): string {
  return endpoint.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
