/** What Slipway needs to know of a kubeadm call: its configuration file and its flags, the flags winning. */
import { type Sensitive, sensitive } from '../../../secrets/sensitive.ts';
import { flagIsSet, flagList, flagValue, type ParsedFlags, parseFlags } from './flags.ts';
import { PKI } from './kubeadm-files.ts';
import { type EvictionThresholds, evictionThresholds } from './kubelet/eviction-thresholds.ts';
import { extraArgument } from './kubelet/node-registration.ts';
import { type ConfigDocument, invalid, NODE_KINDS } from './yaml/config-documents.ts';
import { isValues, type Values, valueAt } from './yaml/config-node.ts';
import { parseGoDuration } from './yaml/go-duration.ts';

export interface KubeadmConfig {
  verb: 'init' | 'join';
  /** Version of kubeadm's API that the file speaks, e.g. `v1beta3`; undefined without a file. */
  configVersion?: string;
  /** The name asked for; kubeadm takes the host name in lower case when there is none. */
  nodeName?: string;
  /** e.g. `unix:///run/containerd/containerd.sock`. */
  criSocket?: string;
  /** `host:port` of the API server that is joined, or the control plane endpoint of an init. */
  endpoints: string[];
  /** `host:port` of the API server that is joined, with kubeadm's own default of the port. */
  apiServer?: string;
  /** File or URL of the kubeconfig for discovery, when there is no bootstrap token. */
  discoveryFile?: string;
  /** The public half of the bootstrap token. */
  tokenId?: string;
  /** The bootstrap token with which a join makes itself known to the cluster. */
  token?: Sensitive<string>;
  /** Seconds; only when the user set it. */
  discoveryTimeoutSeconds?: number;
  /** This machine becomes a control plane. */
  controlPlane: boolean;
  certificatesDir: string;
  /** Where a joining worker keeps the cluster's CA. */
  caCertPath: string;
  /** etcd runs elsewhere, not on the control planes. */
  externalEtcd: boolean;
  /** Directory of the local etcd's data. */
  etcdDataDir: string;
  kubernetesVersion?: string;
  /** Where kubeadm takes its images from, and how; only what the user set. */
  imageRepository?: string;
  imagePullPolicy?: string;
  imagePullSerial?: string;
  advertiseAddress?: string;
  bindPort: number;
  /** `--provider-id` among the kubelet's extra arguments. */
  providerId?: string;
  /** `--node-ip` among them, as it stands there: one address, or two with a comma between. */
  nodeIp?: string;
  /** The name that the kubelet is told to register under. */
  hostnameOverride?: string;
  /** The kubelet is told to start where control groups are of version 1. */
  allowsCgroupV1: boolean;
  /** Where the user set other shares than the kubelet's own. */
  leastFree?: EvictionThresholds;
  /** Directory of patches for what kubeadm makes. */
  patchesDirectory?: string;
  /** Networks and names of the cluster, which only an init is told. */
  dnsDomain?: string;
  serviceSubnets: string[];
  podSubnets: string[];
  skipPhases: string[];
  ignorePreflightErrors: string[];
}

type Section = Readonly<Values> | undefined;

interface ConfigInput {
  verb: 'init' | 'join';
  /** Everything behind the verb. */
  args: readonly string[];
  /** What the file behind `--config` holds, if there is one. */
  documents?: readonly ConfigDocument[] | undefined;
  /** How to call the file in errors. */
  name?: string;
}

/**
 * Reads a kubeadm call. Tolerant: what is not understood is left to kubeadm, whose own validation is exact;
 * only what makes the file unreadable is an error here, since line and column help more than kubeadm's
 * message.
 *
 * @throws KubeadmError `KubeadmConfigInvalid`.
 */
export function readConfig({ verb, args, documents, name = 'file' }: ConfigInput): KubeadmConfig {
  const flags = parseFlags(args);
  const own = (kind: string): ConfigDocument | undefined =>
    documents?.find((document) => document.own && document.kind === kind);
  const node = own(NODE_KINDS[verb]);
  const cluster = own('ClusterConfiguration');
  if (documents !== undefined && node === undefined && (verb === 'join' || cluster === undefined)) {
    throw invalid(
      name,
      `it has no ${verb === 'join' ? 'JoinConfiguration' : 'InitConfiguration or ClusterConfiguration'}`,
    );
  }
  const api =
    verb === 'init'
      ? at(node?.values, 'localAPIEndpoint')
      : at(node?.values, 'controlPlane', 'localAPIEndpoint');
  const version = node?.version ?? cluster?.version;
  const port = flagValue(flags, 'apiserver-bind-port') ?? scalar(api, 'bindPort');
  const endpoints =
    verb === 'init' ? initEndpoints(flags, cluster?.values) : joinEndpoints(flags, node?.values);
  const [joined] = verb === 'join' ? endpoints : [];
  return {
    verb,
    endpoints,
    ...given('apiServer', joined === undefined ? undefined : withPort(joined)),
    controlPlane: verb === 'init' || flagIsSet(flags, 'control-plane') || has(node?.values, 'controlPlane'),
    certificatesDir: flagValue(flags, 'cert-dir') ?? scalar(cluster?.values, 'certificatesDir') ?? PKI,
    caCertPath: scalar(node?.values, 'caCertPath') ?? `${PKI}/ca.crt`,
    externalEtcd: at(cluster?.values, 'etcd', 'external') !== undefined,
    etcdDataDir: scalar(cluster?.values, 'etcd', 'local', 'dataDir') ?? '/var/lib/etcd',
    bindPort: Number(port ?? 6443) || 6443,
    allowsCgroupV1: allowsCgroupV1(node?.values, documents ?? []),
    ...given('leastFree', evictionThresholds(kubeletArgument(node?.values), kubeletSetting(documents ?? []))),
    skipPhases: listOr(flagList(flags, 'skip-phases'), node?.values, 'skipPhases'),
    ignorePreflightErrors: [
      ...flagList(flags, 'ignore-preflight-errors'),
      ...listOr([], at(node?.values, 'nodeRegistration'), 'ignorePreflightErrors'),
    ],
    ...given('configVersion', version),
    ...given('nodeName', flagValue(flags, 'node-name') ?? scalar(node?.values, 'nodeRegistration', 'name')),
    ...given(
      'criSocket',
      flagValue(flags, 'cri-socket') ?? scalar(node?.values, 'nodeRegistration', 'criSocket'),
    ),
    ...given(
      'discoveryFile',
      flagValue(flags, 'discovery-file') ?? scalar(node?.values, 'discovery', 'file', 'kubeConfigPath'),
    ),
    ...given('tokenId', tokenId(flags, node?.values)),
    ...given('token', verb === 'join' ? bootstrapToken(flags, node?.values) : undefined),
    ...given('patchesDirectory', patchesDirectory(flags, node?.values)),
    ...given('dnsDomain', scalar(cluster?.values, 'networking', 'dnsDomain')),
    serviceSubnets: subnets(cluster?.values, 'serviceSubnet'),
    podSubnets: subnets(cluster?.values, 'podSubnet'),
    ...given('discoveryTimeoutSeconds', discoveryTimeout(node?.values)),
    ...given(
      'kubernetesVersion',
      flagValue(flags, 'kubernetes-version') ?? scalar(cluster?.values, 'kubernetesVersion'),
    ),
    ...given(
      'imageRepository',
      flagValue(flags, 'image-repository') ?? scalar(cluster?.values, 'imageRepository'),
    ),
    ...given('imagePullPolicy', scalar(node?.values, 'nodeRegistration', 'imagePullPolicy')),
    ...given('imagePullSerial', scalar(node?.values, 'nodeRegistration', 'imagePullSerial')),
    ...given(
      'advertiseAddress',
      flagValue(flags, 'apiserver-advertise-address') ?? scalar(api, 'advertiseAddress'),
    ),
    ...given('providerId', kubeletArgument(node?.values)('provider-id')),
    ...given('nodeIp', kubeletArgument(node?.values)('node-ip')),
    ...given('hostnameOverride', kubeletArgument(node?.values)('hostname-override')),
  };
}

/** Seconds of the discovery timeout that a JoinConfiguration of any version sets. */
function discoveryTimeout(node: Section): number | undefined {
  const text = scalar(node, 'timeouts', 'discovery') ?? scalar(node, 'discovery', 'timeout');
  return text === undefined ? undefined : parseGoDuration(text);
}

function joinEndpoints(flags: ParsedFlags, node: Section): string[] {
  const endpoint = flags.positional[0] ?? scalar(node, 'discovery', 'bootstrapToken', 'apiServerEndpoint');
  return endpoint === undefined ? [] : [endpoint];
}

function initEndpoints(flags: ParsedFlags, cluster: Section): string[] {
  const endpoint = flagValue(flags, 'control-plane-endpoint') ?? scalar(cluster, 'controlPlaneEndpoint');
  return endpoint === undefined ? [] : [endpoint];
}

const TOKEN = /^([a-z0-9]{6})\.[a-z0-9]{16}$/;

function tokenId(flags: ParsedFlags, node: Section): string | undefined {
  const token =
    flagValue(flags, 'discovery-token') ??
    flagValue(flags, 'token') ??
    scalar(node, 'discovery', 'bootstrapToken', 'token') ??
    scalar(node, 'discovery', 'tlsBootstrapToken');
  return TOKEN.exec(token ?? '')?.[1];
}

/** kubeadm's own default. */
const withPort = (endpoint: string): string => (/:\d+$/.test(endpoint) ? endpoint : `${endpoint}:6443`);

/**
 * kubeadm has its patches in the configuration since v1beta3, before that by a flag, which has changed its
 * name.
 */
function patchesDirectory(flags: ParsedFlags, node: Section): string | undefined {
  const flag = flagValue(flags, 'patches') ?? flagValue(flags, 'experimental-patches');
  return flag ?? scalar(node, 'patches', 'directory');
}

/** With two address families there are two, with a comma between. */
function subnets(cluster: Section, key: string): string[] {
  const text = scalar(cluster, 'networking', key) ?? '';
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function bootstrapToken(flags: ParsedFlags, node: Section): Sensitive<string> | undefined {
  const token =
    flagValue(flags, 'tls-bootstrap-token') ??
    flagValue(flags, 'token') ??
    scalar(node, 'discovery', 'tlsBootstrapToken') ??
    scalar(node, 'discovery', 'bootstrapToken', 'token');
  return token !== undefined && TOKEN.test(token) ? sensitive(token) : undefined;
}

/** Its own argument wins over the cluster's configuration, of which a join sees nothing. */
function allowsCgroupV1(node: Section, documents: readonly ConfigDocument[]): boolean {
  const fails = kubeletArgument(node)('fail-cgroupv1') ?? kubeletSetting(documents)('failCgroupV1');
  // As the kubelet reads it.
  return fails !== undefined && /^(0|f|false)$/i.test(fails);
}

function kubeletArgument(node: Section): (name: string) => string | undefined {
  const registration = at(node, 'nodeRegistration');
  return (name) => extraArgument(registration, name);
}

function kubeletSetting(documents: readonly ConfigDocument[]): (...path: string[]) => string | undefined {
  const kubelet = documents.find(({ kind }) => kind === 'KubeletConfiguration')?.values;
  return (...path) => scalar(kubelet, ...path);
}

function given<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [key in K]?: V };
}

function at(map: Section, ...path: string[]): Section {
  const value = valueAt(map, ...path);
  return isValues(value) ? value : undefined;
}

function has(map: Section, key: string): boolean {
  return (valueAt(map, key) ?? undefined) !== undefined;
}

function scalar(map: Section, ...path: string[]): string | undefined {
  const value = valueAt(map, ...path);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function listOr(flag: string[], map: Section, key: string): string[] {
  if (flag.length > 0) return flag;
  const value = valueAt(map, key);
  return Array.isArray(value) ? value.map(String) : [];
}
