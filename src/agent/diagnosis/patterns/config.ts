/** Errors about the command line and the configuration, which come before any phase. */
import { inError, type Pattern, shorten } from './pattern.ts';

const beforePhases = ({ output }: { output: { phase?: string } }): boolean => output.phase === undefined;

const missing: Pattern = inError(
  /unable to read config from "([^"]+)"\s*: open [^:]+: (no such file or directory|permission denied|[^\n]+)/,
  (match) => ({
    code: 'KubeadmConfigNotFound',
    cause: `The kubeadm configuration ${match[1]} cannot be read: ${match[2]}.`,
  }),
);

/** The cluster's own configuration: written by another kubeadm than the one installed here, or spoilt by who edited it since. */
const clusterConfig: Pattern = inError(
  /failed to decode cluster configuration data: ([^\n]*)/,
  ([, why = '']) =>
    /^(?:json: |yaml: |couldn't get version\/kind|v\d\w*\.ClusterConfiguration\.)/.test(why)
      ? {
          code: 'KubeadmConfigInvalid',
          cause: `The ClusterConfiguration in the ConfigMap kubeadm-config of the cluster cannot be read: ${shorten(why.replace(/ into Go value.*|, error found in.*/, ''), 160)}.`,
          remedy: 'Correct it: kubectl --namespace=kube-system edit configmap kubeadm-config.',
        }
      : {
          code: 'VersionSkew',
          cause: `The installed kubeadm cannot read the configuration of the cluster, which another version wrote: ${shorten(
            why.replace(/ in scheme .*/, ''),
            160,
          )}.`,
        },
);

/** Up to 1.23 the ConfigMap's name has the version of kubeadm; the token may read only that of the cluster. */
const kubeletConfigOfOtherVersion: Pattern = inError(
  // What comes with the cluster's own configuration is asked for by the cluster's version.
  /(?<!component configs: )configmaps "(kubelet-config-1\.\d+)" is forbidden/,
  (match) => ({
    code: 'VersionSkew',
    cause: `The cluster has no ${match[1]} that this machine may read: the kubeadm and cluster versions differ.`,
  }),
);

/** The cluster's, which `kubeadm init` uploaded and somebody may have edited since. */
const kubeletConfigOfCluster: Pattern = inError(
  /could not download the kubelet configuration from ConfigMap "([^"]+)": ((?:json|yaml|error (?:unmarshaling|converting)|strict decoding error|no kind|illegal base64)\b[^\n]*)/,
  (match) => ({
    code: 'KubeletConfigInvalid',
    cause: `The kubelet's configuration in the ConfigMap ${match[1]} of the cluster cannot be read: ${shorten(match[2] ?? '', 200)}.`,
    remedy: `Correct that field: kubectl --namespace=kube-system edit configmap ${match[1]}.`,
  }),
);

const oldVersion: Pattern = inError(/your configuration file uses an old API spec: "([^"]+)"/, (match) => ({
  code: 'KubeadmConfigVersionUnsupported',
  cause: `The configuration uses ${match[1]}, which the installed kubeadm no longer reads.`,
}));

const unknownVersion: Pattern = inError(
  /no kind "(\w+)" is registered for version "(kubeadm\.k8s\.io\/\w+)"|experimental API spec: "([^"]+)" is not allowed|unknown configuration (?:APIs: |schema\.GroupVersionKind\{Group:"kubeadm)[^\n]*Version:"(\w+)"/,
  (match) => ({
    code: 'KubeadmConfigVersionUnsupported',
    cause: `The configuration uses ${match[2] ?? match[3] ?? match[4]}, which the installed kubeadm does not know.`,
  }),
);

const unknownKind: Pattern = inError(/no kind "([^"]+)" is registered for version "([^"]+)"/, (match) => ({
  code: 'KubeadmConfigInvalid',
  cause: `The configuration has a ${match[1]} of ${match[2]}, which kubeadm does not know.`,
}));

/** The one thing that changed its form between the versions that are in use. */
function argumentsRemedy(said: string): { remedy?: string } {
  const [, field = 'extraArgs'] = /\.(\w*[eE]xtraArgs)\b/.exec(said) ?? [];
  if (/cannot unmarshal object [^\n]*\[\]v1beta\d+\.Arg\b/.test(said))
    return {
      remedy: `Write ${field} as a list of name and value (- name: node-ip, value: "10.0.0.1"), the form from v1beta4 on; the v1beta3 map is no longer read.`,
    };
  if (/cannot unmarshal array [^\n]*[eE]xtraArgs of type map\[string\]string/.test(said))
    return {
      remedy: `Write ${field} as a map (node-ip: "10.0.0.1"), the form up to v1beta3; the list of name and value came with v1beta4.`,
    };
  return {};
}

const syntax: Pattern = inError(
  /(?:yaml: |error converting YAML to JSON: |could not interpret GroupVersionKind[^\n]*?: |error unmarshaling JSON: |strict decoding error: |invalid configuration[^\n]*?: )+([^\n]+)|couldn't get version\/kind[^\n]*|unable to decode config(?: from bytes)?: [^\n]*|json: (?:cannot unmarshal|unknown field)[^\n]*/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `The kubeadm configuration cannot be read: ${shorten(match[1] ?? match[0], 200)}.`,
    ...argumentsRemedy(match[0]),
  }),
  (input) => beforePhases(input) && !/\.conf that already exists on disk/.test(input.output.error),
);

const noDocument: Pattern = inError(
  /no (JoinConfiguration|InitConfiguration or ClusterConfiguration kind|InitConfiguration|ClusterConfiguration|[\w ]{1,80}Configuration) (?:was )?found in the (?:supplied config|YAML file|configuration file)|invalid configuration: kinds? [^\n]*|kind and apiVersion is mandatory information[^\n]*/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause:
      match[1] === undefined
        ? `The kubeadm configuration cannot be used: ${shorten(match[0], 160)}.`
        : `The kubeadm configuration has no ${match[1].replace(' kind', '')}.`,
  }),
  beforePhases,
);

/** Field errors of apimachinery: `path.to.field: Invalid value: "x": reason`, alone or several in brackets. */
const field: Pattern = inError(
  /(?<![\w.[\]/-])([\w.[\]/-]+): (Invalid value|Required value|Forbidden|Unsupported value|Duplicate value|Too many|Too long|Internal error|Not found)(?:: ([^\n]*))?/,
  (match) => {
    const [, path = '', kind = '', rest = ''] = match;
    const fromFlag = /^[a-z]+(-[a-z]+)+$/.test(path);
    // The value may be a token that is merely malformed: it is not repeated for fields that hold one.
    const secret = /token|key/i.test(path);
    const reason = (secret ? rest.replace(/^"[^"]*": /, '') : rest).replace(
      /, [\w.[\]]+: (Invalid|Required|Forbidden).*$/,
      '',
    );
    if (kind === 'Required value')
      return {
        code: fromFlag ? 'KubeadmArgumentInvalid' : 'KubeadmConfigInvalid',
        cause: `The field ${path.replace(/^\[/, '')} has no value${reason === '' ? '' : `: ${shorten(reason.replace(/\]$/, ''), 200)}`}.`,
      };
    const because =
      reason === ''
        ? kind.toLowerCase()
        : `${kind.toLowerCase()}: ${shorten(reason.replace(/\.?\]?$/, ''), 200)}`;
    return {
      code: fromFlag ? 'KubeadmArgumentInvalid' : 'KubeadmConfigInvalid',
      cause: fromFlag
        ? `The flag --${path} has an ${because}.`
        : `The field ${path.replace(/^\[/, '')} has an ${because}.`,
    };
  },
  beforePhases,
);

const flag: Pattern = inError(
  /unknown (?:shorthand )?flag: (.+)|unknown command "[^"]*"[^\n]*|flag needs an argument: ([^\n]*)|invalid argument ("[^"]*"[^\n]*)|can not mix '--config' with arguments (\[[^\]]*\])|invalid phase name: (\S+)|accepts at most[^\n]*|too many arguments\. Required arguments[^\n]*|missing one or more required arguments[^\n]*|can't use upload-certs with an external[^\n]*|malformed key=value pair in flag value[^\n]*|bad flag syntax[^\n]*|flag provided but not defined[^\n]*/,
  (match) => ({
    code: 'KubeadmArgumentInvalid',
    cause: `kubeadm does not accept its command line: ${shorten(match[0], 160)}.`,
  }),
  beforePhases,
);

const version: Pattern = inError(
  /version "([^"]*)" doesn't match patterns[^\n]*|couldn't parse Kubernetes version "?([^"\n]*)"?|could not parse "?([^"\n]*)"? as version/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `The Kubernetes version "${match[1] ?? match[2] ?? match[3]}" is not a version.`,
    remedy: 'Write kubernetesVersion as v1.2.3.',
  }),
);

/** The same, or none at all, in what a join reads of the cluster: nothing in the configuration of this machine can mend that. */
const versionOfCluster: Pattern = inError(
  /unable to fetch the kubeadm-config ConfigMap: (?:failed to get component configs: )?(?:invalid version "([^"]*)"|version "([^"]*)" doesn't match patterns|couldn't parse Kubernetes version "?([^"\n]*)"?|could not parse "?([^"\n]*)"? as version)/,
  (match) => {
    const written = match.slice(1).find((part) => part !== undefined) ?? '';
    const where = 'the ConfigMap kubeadm-config of the cluster';
    return {
      code: 'KubeadmConfigInvalid',
      cause:
        written === ''
          ? `The ClusterConfiguration in ${where} has no kubernetesVersion, or is empty.`
          : `The kubernetesVersion "${written}" in ${where} is not a version.`,
      remedy:
        "Write it as v1.2.3: kubectl --namespace=kube-system edit configmap kubeadm-config; if the content is lost, run kubeadm init phase upload-config kubeadm with the cluster's configuration on a control plane.",
    };
  },
);

const versionSkew: Pattern = inError(
  /this version of kubeadm only supports deploying clusters with the control plane version >= (\S+)\.\s+Current version: (\S+)/,
  (match) => ({
    code: 'VersionSkew',
    cause: `The installed kubeadm deploys clusters from version ${match[1]} on, not ${match[2]}.`,
  }),
);

const bindAddress: Pattern = inError(
  /cannot use "([^"]*)" as the bind address for the API Server|cannot parse IP address: (\S*)|couldn't use "[^"]*" as "[\w-]+[^\n]*|couldn't parse IP address[^\n]*|error parsing LocalAPIEndpoint AdvertiseAddress [^\n]*/,
  (match) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `The address for the API server cannot be used: ${shorten(match[0], 160)}.`,
  }),
);

/** kubeadm looks for the interface of the default route; at boot the network may not be up yet. */
const noAddress: Pattern = inError(
  /no acceptable interface with global unicast address found on host|no default routes found in "[^"]*"[^\n]*|unable to select an IP from default routes|no default routes for [^\n]*|unable to resolve link-local addresses|route ip\+net: (?!netlinkrib)[^\n]*|could not find (?:an? )?(?:usable )?(?:default )?(?:interface|route)[^\n]*/i,
  (match) => ({
    code: 'NoUsableAddress',
    cause: `This machine has no usable IP address (yet): ${shorten(match[0], 120)}.`,
  }),
);

const featureGate: Pattern = inError(
  /unrecognized feature-gate key: (\S+)|missing bool value for feature-gate key[^\n]*|invalid value \S* for feature-gate key[^\n]*|the requested Kubernetes version \S+ is incompatible with the \S+ feature gate[^\n]*|(?:unrecognized|invalid) feature gate[^\n]*|feature-gates?[^\n]*(?:unsupported|invalid|deprecated)[^\n]*/i,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause:
      match[1] === undefined
        ? `A feature gate cannot be set: ${shorten(match[0], 160)}.`
        : `kubeadm does not know a feature gate: ${shorten(match[1], 120)}.`,
  }),
  beforePhases,
);

const tokenForm: Pattern = inError(
  /the bootstrap token "[^"]*" was not of the form|could not construct token string/,
  () => ({
    code: 'KubeadmConfigInvalid',
    cause: 'The bootstrap token is malformed: it must be six characters, a dot and sixteen characters.',
    remedy: 'Have Cluster API create new bootstrap data, or correct the token.',
  }),
);

const hostPort: Pattern = inError(
  /hostport (\S[^\n]*?): (?:host|port)[^\n]* must be [^\n]*|failed to parse (?:the )?host and port[^\n]*|invalid value ["`]?([^"`\n]*)["`]? given for (?:controlPlaneEndpoint|api\.(?:bindPort|advertiseAddress))[^\n]*|error parsing cluster controlPlaneEndpoint [^\n]*/i,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `An endpoint is not a host and port: ${shorten(match[0], 160)}.`,
  }),
  beforePhases,
);

const serviceSubnet: Pattern = inError(
  /(?:unable to get (?:internal Kubernetes Service IP|(?:the )?first IP address)|unable to parse ServiceSubnet)[^\n]*/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `networking.serviceSubnet cannot be used: ${shorten(match[0], 160)}.`,
  }),
);

const flagOfComponent: Pattern = inError(
  /could not parse the value of the (kube-[\w-]+) flag ([\w-]+) as an integer/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `The value of ${match[2]} in extraArgs of ${match[1]} is not a number.`,
  }),
);

/** A label such as `stable` stands for a version that only a server knows. */
const versionUnknown: Pattern = inError(
  /unable to (?:(?:get|read content of) URL|fetch file\. URL:) "([^"]+)"(?:: |, status: )([^\n]*)|Get "(https?:[^"]+\/(?:stable|latest)[^"/]*\.txt)": ([^\n]*)/,
  (match) => ({
    code: 'ResourceNotFetched',
    cause: `kubeadm could not get the Kubernetes version from ${match[1] ?? match[3]}: ${shorten((match[2] ?? match[4] ?? '').replace(/^Get "[^"]*": /, ''), 160)}.`,
    remedy: 'Set kubernetesVersion, as v1.2.3; then no server is queried.',
  }),
);

/** json-iterator: `v1beta2.JoinConfiguration.TypeMeta: Kind: Discovery: v1beta2.Discovery.Timeout: xDecoder: reason, error found in ...`. */
const wrongType: Pattern = inError(
  /\bv\d\w*\.(\w+)\.(?:[^\n]*?: (?:v\d\w*\.)?([\w.]+): \w*[Dd]ecoder: ([^\n]*?)|([\w.]+): ([^\n]*?)), error found i/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `The field ${match[2] ?? match[4]} of the ${match[1]} has a wrong value: ${shorten(match[3] ?? match[5] ?? '', 160)}.`,
  }),
);

export const configPatterns: Pattern[] = [
  clusterConfig,
  kubeletConfigOfCluster,
  kubeletConfigOfOtherVersion,
  missing,
  oldVersion,
  unknownVersion,
  unknownKind,
  versionOfCluster,
  version,
  versionUnknown,
  flagOfComponent,
  versionSkew,
  noAddress,
  featureGate,
  tokenForm,
  wrongType,
  hostPort,
  serviceSubnet,
  flag,
  noDocument,
  field,
  bindAddress,
  syntax,
];
