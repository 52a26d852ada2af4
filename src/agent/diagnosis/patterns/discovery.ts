/** Discovery of the cluster: token, CA hash, cluster-info, discovery file. Texts: cmd/kubeadm/app/discovery, 1.20 - 1.34, and what the published changes of 1.37 say. */
import { endpointIn, inError, type Pattern, shorten } from './pattern.ts';

const idOf = (match: RegExpExecArray): string | undefined => match.slice(1).find(Boolean);

const tokenUnknown: Pattern = inError(
  /(?:could not find a JWS signature in the cluster-info ConfigMap|does not yet contain a JWS signature)(?: for token ID(?: "?([a-z0-9]{6})\b)?)?|there is no JWS signed token in the cluster-info ConfigMap(?:\. This token id "([^"]*)")?|token id "([^"]*)" is invalid for this cluster/,
  (match) => ({
    code: 'TokenUnknown',
    cause: `cluster-info has no signature by ${idOf(match) === undefined ? 'this bootstrap token' : `the bootstrap token ${idOf(match)}`}: it was never created in the cluster, has expired, or may not sign.`,
  }),
);

const tokenSecretWrong: Pattern = inError(
  /failed to verify JWS signature of received cluster info object/,
  () => ({
    code: 'TokenSecretWrong',
  }),
);

const caHash: Pattern = inError(
  /none of the public keys "?([^"\n]*?)"? are pinned|public key (\S+) not pinned/,
  (match) => ({
    code: 'CaHashMismatch',
    cause: `The cluster CA has the public key ${match[1] ?? match[2]}, which is not in caCertHashes.`,
  }),
);

/** It is compared with nothing else, whatever of the reason was cut off. */
const caHashCut: Pattern = inError(/cluster CA found in cluster-info ConfigMap is invalid/, () => ({
  code: 'CaHashMismatch',
}));

const caHashForm: Pattern = inError(
  /invalid (?:discovery token CA certificate )?(?:public key )?hash[^\n]*|invalid hash[^\n]*|unknown hash format[^\n]*|expected a \d+ byte SHA-256 hash[^\n]*|could not decode SHA-256 from hex[^\n]*|(?<=identity of the API Server: )encoding\/hex: [^\n]*/,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `A hash of the CA (caCertHashes, --discovery-token-ca-cert-hash) is malformed: ${shorten(match[0], 160)}.`,
    remedy: 'Write it as sha256: followed by 64 hexadecimal digits.',
  }),
);

export const clusterInfo: Pattern = inError(
  /configmaps "cluster-info" (not found|is forbidden[^\n]*)|there is no (\S+) key in the cluster-info ConfigMap|malformed kubeconfig in the cluster-info ConfigMap|couldn't parse the kubeconfig file in the cluster-info ConfigMap|the second kubeconfig from the cluster-info ConfigMap|failed to parse cluster CA from the cluster-info ConfigMap|no kubeconfig key in ConfigMap/i,
  (match) => ({
    code: 'ClusterInfoUnavailable',
    cause: `cluster-info in the namespace kube-public cannot be used: ${shorten(match[1] ?? match[0], 160)}.`,
  }),
);

/** It is asked for without any credentials: no token can be to blame. */
export const anonymousRejected: Pattern = inError(
  /cluster-info[^\n]*\bUnauthorized\b|cluster-info[^\n]*the server has asked for the client to provide credentials/,
  () => ({
    code: 'ClusterInfoUnavailable',
    cause:
      'The API server does not serve cluster-info without credentials (Unauthorized): anonymous requests are disabled. The bootstrap token was not checked.',
    remedy:
      'Allow anonymous requests on the API server for /api/v1/namespaces/kube-public/configmaps/cluster-info (anonymous in its AuthenticationConfiguration, or --anonymous-auth=true), or join with a discovery kubeconfig (discovery.file).',
  }),
);

/**
 * discovery.file is an address. It may be written only when the first control plane is there, and some stores answer 403
 * until it is. What stands behind the question mark may be a signature.
 */
const discoveryAddress: Pattern = inError(
  /unable to fetch cluster-info\. URL: "(?:([^"?\s]{1,400})(?:\?[^"\s]{0,2000})?"(?:, status: ([^\n]{1,200}))?)?/,
  (match) => ({
    code: 'ClusterInfoUnavailable',
    cause: `The discovery kubeconfig could not be downloaded${match[1] === undefined ? '' : ` from ${shorten(match[1], 120)}`}${match[2] === undefined ? '' : `: ${shorten(match[2], 80)}`}.`,
    remedy:
      'Check with curl, on this machine, what that address returns: the file must exist there before a node joins and be readable without credentials. The address is set by discovery.file in the KubeadmConfig.',
  }),
);

const discoveryFile: Pattern = inError(
  /(?:couldn't load|failed to load|invalid) (?:the )?discovery (?:kubeconfig|file)[^\n]*|expected the kubeconfig file to be located in[^\n]*|error retrieving (?:the )?discovery[^\n]*|no valid (?:cluster|credentials|authentication)[^\n]*in (?:the )?(?:discovery|kubeconfig)[^\n]*|kubeconfig file doesn't have (?:authentication|current context)[^\n]*|failed to find the current (?:cluster|user)[^\n]*|the provided (?:cluster-info )?kubeconfig file (?:must|is)[^\n]*|couldn't find a valid discovery configuration[^\n]*|could not (?:find authentication credentials for the TLS bootstrap process|get CA certificate from discovery kubeconfig)[^\n]*|no CA certificates? found in [^\n]*|the TLS bootstrap kubeconfig is malformed[^\n]*|(?<=identity of the API Server: (?:failed to create API client: )?)(?:unable to load root certificates|yaml|json|error unmarshaling JSON|illegal base64 data)\b[^\n]*|(?<=identity of the API Server: )(?:no matching cluster for the current context|the current context is invalid)[^\n]*/i,
  (match) => ({
    code: 'DiscoveryFileInvalid',
    cause: `The discovery kubeconfig cannot be used: ${shorten(match[0], 200).replace(/\.$/, '')}.`,
  }),
);

/** discovery.file is opened as it is; the error names only the path. */
const discoveryFileMissing: Pattern = inError(
  /couldn't validate the identity of the API Server: (?:[^\n]*: )?open (\/[^\s:]+): (no such file or directory|permission denied|is a directory)/,
  (match) => ({
    code: 'DiscoveryFileInvalid',
    cause: `The discovery kubeconfig ${match[1]} cannot be read: ${match[2]}.`,
  }),
);

/** From its validation, before it is opened. */
const discoveryFileNamed: Pattern = inError(
  /discovery\.file\.kubeConfigPath: Invalid value: "([^"]*)": ([^\n]*)/,
  (match) => ({
    code: 'DiscoveryFileInvalid',
    cause: `The discovery kubeconfig ${match[1]} cannot be used: ${shorten(match[2] ?? '', 160)}.`,
    remedy:
      'Write the file from user data before kubeadm runs, or correct discovery.file in the KubeadmConfig.',
  }),
);

export const discoveryPatterns: Pattern[] = [
  discoveryFileNamed,
  discoveryFileMissing,
  discoveryAddress,
  tokenUnknown,
  tokenSecretWrong,
  caHash,
  caHashCut,
  caHashForm,
  clusterInfo,
  anonymousRejected,
  discoveryFile,
];

/** After network trouble was ruled out: discovery failed without a text that is known. */
export const discoveryTimedOut: Pattern = inError(
  /(?:couldn't validate the identity of the API Server|failed to request the cluster-info ConfigMap): (?:[^\n]*: )?(timed out waiting for the condition|(?:rate: Wait\(n=\d+\) would exceed )?context deadline(?: exceeded)?|abort connecting to API servers after timeout of \S+)/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${endpointIn(output.error) ?? 'The API server'} did not serve cluster-info in time (${match[1]}).`,
  }),
);
