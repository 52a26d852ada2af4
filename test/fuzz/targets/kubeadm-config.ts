import { checkConfig } from '../../../src/agent/kubeadm/config/api/check-config.ts';
import { convertConfig } from '../../../src/agent/kubeadm/config/api/convert.ts';
import { readCall } from '../../../src/agent/kubeadm/config/read-call.ts';
import { shapedConfig } from '../../../src/agent/kubeadm/config/shaped-arguments.ts';
import { readDocuments } from '../../../src/agent/kubeadm/config/yaml/config-documents.ts';
import { KubeadmError } from '../../../src/agent/kubeadm/kubeadm-error.ts';
import { sensitive } from '../../../src/secrets/sensitive.ts';
import { testTexts, texts } from '../corpus.ts';
import { must, type Target } from '../target.ts';

const INIT = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
clusterName: c
kubernetesVersion: v1.31.0
controlPlaneEndpoint: 10.0.0.1:6443
apiServer: {extraArgs: {v: '4'}, extraVolumes: [{name: a, hostPath: /a, mountPath: /a}], certSANs: [a.example], timeoutForControlPlane: 4m}
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12, dnsDomain: cluster.local}
etcd: {local: {dataDir: /var/lib/etcd, extraArgs: {quota-backend-bytes: '1'}}}
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
bootstrapTokens: [{token: abcdef.0123456789abcdef, ttl: 15m0s, usages: [signing], groups: ['system:bootstrappers:kubeadm:default-node-token']}]
localAPIEndpoint: {advertiseAddress: 10.0.0.2, bindPort: 6443}
nodeRegistration: &r
  name: n
  criSocket: unix:///run/containerd/containerd.sock
  kubeletExtraArgs: {provider-id: 'p://1', node-labels: a=b}
  taints: [{key: a, effect: NoSchedule}]
  ignorePreflightErrors: [all]
skipPhases: [addon/kube-proxy]
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
`;
const JOIN = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken: {apiServerEndpoint: '10.0.0.1:6443', token: abcdef.0123456789abcdef, caCertHashes: ['sha256:00']}
  tlsBootstrapToken: abcdef.0123456789abcdef
timeouts: {discovery: 5m0s, kubeletHealthCheck: 4m0s}
controlPlane: {localAPIEndpoint: {advertiseAddress: 10.0.0.3}, certificateKey: '00'}
nodeRegistration: {name: n, kubeletExtraArgs: [{name: v, value: '1'}, {name: v, value: '2'}], taints: [], imagePullPolicy: Always}
patches: {directory: /etc/kubernetes/patches}
`;

/** More than any has. Its reader takes up to 1 MiB, at some 2 s a MiB, and it is read several times here. */
const MAX_BYTES = 16 * 1024;

/** The configuration that kubeadm is given: read, checked, converted, shaped, as before each attempt. */
export const kubeadmConfig: Target = {
  name: 'kubeadm-config',
  dictionary: [
    ...[
      'v1beta1',
      'v1beta2',
      'v1beta3',
      'v1beta4',
      'v1beta9',
      'kubeadm.k8s.io/v1beta2',
      'kind',
      'apiVersion',
      'JoinConfiguration',
    ],
    ...[
      'InitConfiguration',
      'ClusterConfiguration',
      'KubeletConfiguration',
      'discovery',
      'timeouts',
      'extraArgs',
      'extraEnvs',
    ],
    ...[
      'kubeletExtraArgs',
      'nodeRegistration',
      'taints',
      'patches',
      'skipPhases',
      'certificateKey',
      'useHyperKubeImage',
      'dns',
    ],
    ...[
      '5m',
      '1h1h',
      '-5m',
      '1e9h',
      '9999999999999999999h',
      '*r',
      '&r',
      '<<: *r',
      '---\n',
      '...\n',
      '? ',
      '!!str',
      '|\n',
      'etcd',
      'external',
    ],
  ],
  corpus: () =>
    texts(
      INIT,
      JOIN,
      INIT.replaceAll('v1beta3', 'v1beta2'),
      `${JOIN}---\n${INIT}`,
      ...testTexts('src/agent/kubeadm').filter((text) => /kind:|apiVersion/.test(text)),
    ),
  refuses: (error) => error instanceof KubeadmError,
  run: (bytes) => {
    const text = bytes.subarray(0, MAX_BYTES).toString('utf8');
    return (['init', 'join'] as const).flatMap((verb) =>
      [22, 34].map((minor) => refusedOr(() => shaped(verb, text, minor))),
    );
  },
};

/** One verb may refuse what the other takes. */
function refusedOr(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof KubeadmError) return error.failure;
    throw error;
  }
}

function shaped(verb: 'init' | 'join', text: string, minor: number): unknown {
  const name = '/run/kubeadm/kubeadm.yaml';
  const command = { kind: 'kubeadm' as const, verb, args: sensitive([]), configPath: name };
  const call = readCall({ ...command, patches: '/etc/kubernetes/patches' }, text);
  if (call.problem) throw call.problem;
  const { documents, config } = call;
  const problems = checkConfig(verb, documents);
  const token = config?.token?.reveal().length;
  const converted = convertConfig(verb, documents, minor);
  if (converted) must(readDocuments(converted.text, name).length > 0, 'what was converted can be read');
  const { text: made, ...rest } = shapedConfig(call, {
    discoveryTimeoutSeconds: 60,
    minor,
    capSeconds: 90,
    endpoint: '10.0.0.9:6443',
  });
  if (made !== undefined) must(readDocuments(made, name).length > 0, 'what was shaped can be read');
  return { problems, config, token, converted, made, rest };
}
