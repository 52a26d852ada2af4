import { dump } from 'js-yaml';
import {
  type ConfigApi,
  configApiOf,
  hostAllowance,
  joiningControlPlaneArgs,
  minorOf,
} from '../../lab/kubernetes/release.ts';
import type { ClusterData } from './cluster-data.ts';

/** What tests set of a kubeadm configuration; in the words of kubeadm, whatever the API. */
interface NodeOptions {
  /** Of the node; default: what cloud-init puts in its place. */
  name?: string;
  kubeletExtraArgs?: Readonly<Record<string, string>>;
}

export interface JoinOptions extends NodeOptions {
  /** For a further control plane: the address at which it serves. */
  advertiseAddress?: string;
  /** Replaces parts of the discovery, to make joins that fail. */
  discovery?: { endpoint?: string; token?: string; caCertHash?: string; timeout?: string };
}

/** A JoinConfiguration; by default in the API that Cluster API chooses for the cluster's release. */
export function joinConfiguration(
  cluster: ClusterData,
  options: JoinOptions = {},
  api: ConfigApi = apiOf(cluster),
): string {
  const { discovery = {}, advertiseAddress } = options;
  const joining = advertiseAddress ? joiningControlPlaneArgs(minorOf(cluster.kubernetesVersion)) : {};
  const kubeletExtraArgs = { ...joining, ...options.kubeletExtraArgs };
  const timeout = discovery.timeout === undefined ? {} : { discovery: discovery.timeout };
  return document(api, 'JoinConfiguration', {
    ...(advertiseAddress ? { controlPlane: { localAPIEndpoint: { advertiseAddress } } } : {}),
    discovery: {
      bootstrapToken: {
        apiServerEndpoint: discovery.endpoint ?? cluster.endpoint,
        caCertHashes: [discovery.caCertHash ?? cluster.certificates.caCertHash],
        token: discovery.token ?? cluster.token,
      },
      ...(discovery.timeout && api !== 'v1beta4' ? { timeout: discovery.timeout } : {}),
    },
    nodeRegistration: nodeRegistration(cluster, { ...options, kubeletExtraArgs }, api),
    ...(discovery.timeout && api === 'v1beta4' ? { timeouts: timeout } : {}),
  });
}

/** An InitConfiguration. */
export function initConfiguration(
  cluster: ClusterData,
  advertiseAddress: string,
  options: NodeOptions = {},
): string {
  const api = apiOf(cluster);
  return document(api, 'InitConfiguration', {
    bootstrapTokens: [{ token: cluster.token, ttl: '15m0s' }],
    localAPIEndpoint: { advertiseAddress },
    nodeRegistration: nodeRegistration(cluster, options, api),
  });
}

/** A ClusterConfiguration. */
export function clusterConfiguration(cluster: ClusterData): string {
  return document(apiOf(cluster), 'ClusterConfiguration', {
    apiServer: {},
    clusterName: cluster.name,
    controlPlaneEndpoint: cluster.endpoint,
    controllerManager: {},
    dns: {},
    etcd: {},
    kubernetesVersion: cluster.kubernetesVersion,
    networking: {},
    scheduler: {},
  });
}

function apiOf({ kubernetesVersion }: ClusterData): ConfigApi {
  return configApiOf(minorOf(kubernetesVersion));
}

/** Arguments are a map until v1beta3, and a list since. */
function nodeRegistration(cluster: ClusterData, options: NodeOptions, api: ConfigApi): object {
  const { kubeletExtraArgs, ...allowance } = hostAllowance(minorOf(cluster.kubernetesVersion));
  const args = { ...kubeletExtraArgs, ...options.kubeletExtraArgs };
  const list = Object.entries(args).map(([name, value]) => ({ name, value }));
  return {
    criSocket: '/run/containerd/containerd.sock',
    ...allowance,
    ...(list.length === 0 ? {} : { kubeletExtraArgs: api === 'v1beta4' ? list : args }),
    name: options.name ?? '{{ ds.meta_data.local_hostname }}',
  };
}

/** Keys in the order in which Cluster API writes them. */
function document(api: string, kind: string, members: object): string {
  return dump(
    { apiVersion: `kubeadm.k8s.io/${api}`, kind, ...members },
    { sortKeys: true, lineWidth: -1, seqNoIndent: true, noRefs: true },
  );
}
