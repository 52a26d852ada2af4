/** Configurations of newer versions, and what kubeadm must have understood of them after the conversion. */

const TOKEN = 'abcdef.0123456789abcdef';
const HASH = `sha256:${'ab'.repeat(32)}`;

export interface ConfigCase {
  about: string;
  verb: 'init' | 'join';
  text: string;
  /** Lines of kubeadm's own rendering of what it read. */
  understood: string[];
  flags?: string[];
}

export const CONFIGS: ConfigCase[] = [
  {
    about: 'a join of v1beta4',
    verb: 'join',
    text: `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken: {token: ${TOKEN}, apiServerEndpoint: "192.0.2.1:6443", caCertHashes: [${HASH}]}
timeouts: {discovery: 90s, tlsBootstrap: 5m0s}
controlPlane: {localAPIEndpoint: {advertiseAddress: 192.0.2.7, bindPort: 8443}}
nodeRegistration:
  name: n1
  criSocket: unix:///run/containerd/containerd.sock
  imagePullPolicy: IfNotPresent
  imagePullSerial: true
  taints: []
  kubeletExtraArgs:
  - {name: provider-id, value: "aws:///eu/i-1"}
  - {name: v, value: "2"}
skipPhases: [preflight]
patches: {directory: /etc/patches}
`,
    understood: [
      '  timeout: 1m30s',
      '    provider-id: aws:///eu/i-1',
      '    v: "2"',
      '    bindPort: 8443',
      '  name: n1',
      '  taints: []',
      `    - ${HASH}`,
    ],
    flags: ['--skip-phases=preflight', '--experimental-patches=/etc/patches'],
  },
  {
    about: 'an init of v1beta4',
    verb: 'init',
    text: `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens: [{token: ${TOKEN}, ttl: 15m0s, usages: [signing, authentication]}]
localAPIEndpoint: {advertiseAddress: 192.0.2.7}
nodeRegistration: {name: cp1, kubeletExtraArgs: [{name: node-labels, value: "a=b"}]}
timeouts: {controlPlaneComponentHealthCheck: 6m0s}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
clusterName: "on"
kubernetesVersion: v1.20.2
controlPlaneEndpoint: 192.0.2.10:6443
networking: {podSubnet: 10.1.0.0/16, dnsDomain: example.org}
apiServer:
  certSANs: [192.0.2.10]
  extraArgs: [{name: audit-log-maxage, value: "3"}, {name: profiling, value: "false"}]
  extraVolumes: [{name: p, hostPath: /a, mountPath: /b, readOnly: true, pathType: File}]
etcd: {local: {dataDir: /srv/etcd, extraArgs: [{name: snapshot-count, value: "10"}]}}
dns: {imageTag: v1.7.0, disabled: false}
encryptionAlgorithm: ECDSA-P256
proxy: {disabled: true}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: 50
`,
    understood: [
      `  token: ${TOKEN}`,
      '  ttl: 15m0s',
      '    node-labels: a=b',
      '  name: cp1',
      '  timeoutForControlPlane: 6m0s',
      'clusterName: "on"',
      'controlPlaneEndpoint: 192.0.2.10:6443',
      '    audit-log-maxage: "3"',
      '    profiling: "false"',
      '    readOnly: true',
      '    dataDir: /srv/etcd',
      '      snapshot-count: "10"',
      '  imageTag: v1.7.0',
      '  PublicKeysECDSA: true',
      '  podSubnet: 10.1.0.0/16',
    ],
    flags: ['--skip-phases=addon/kube-proxy'],
  },
  {
    about: 'an init of v1beta3 as Cluster API renders it',
    verb: 'init',
    text: `---
apiServer: {extraArgs: {cloud-provider: external}, timeoutForControlPlane: 20m0s}
apiVersion: kubeadm.k8s.io/v1beta3
clusterName: test
controlPlaneEndpoint: 192.0.2.10:6443
controllerManager: {extraArgs: {enable-hostpath-provisioner: "true"}}
dns: {}
etcd: {}
kind: ClusterConfiguration
kubernetesVersion: v1.20.2
networking: {}
scheduler: {}

---
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
localAPIEndpoint: {advertiseAddress: 192.0.2.7}
nodeRegistration:
  imagePullPolicy: IfNotPresent
  kubeletExtraArgs: {eviction-hard: "nodefs.available<0%"}
  name: cp1
  taints: null
`,
    understood: [
      '    cloud-provider: external',
      '  timeoutForControlPlane: 20m0s',
      '    enable-hostpath-provisioner: "true"',
      '    eviction-hard: nodefs.available<0%',
    ],
  },
];

/** A join that is right in every part; each part is spoilt in turn to compare the check with kubeadm's own. */
export const SOUND_JOIN = `apiVersion: kubeadm.k8s.io/v1beta2
kind: JoinConfiguration
caCertPath: /etc/kubernetes/pki/ca.crt
controlPlane:
  certificateKey: ${'ab'.repeat(32)}
  localAPIEndpoint:
    advertiseAddress: 192.0.2.7
    bindPort: 6443
discovery:
  bootstrapToken:
    apiServerEndpoint: 192.0.2.1:6443
    caCertHashes:
    - ${HASH}
    token: ${TOKEN}
    unsafeSkipCAVerification: false
  timeout: 5m0s
  tlsBootstrapToken: ${TOKEN}
nodeRegistration:
  criSocket: /run/containerd/containerd.sock
  ignorePreflightErrors:
  - Swap
  kubeletExtraArgs:
    v: "2"
  name: n1
  taints:
  - key: a
    effect: NoSchedule
`;

/** The same for an init. */
export const SOUND_INIT = `apiVersion: kubeadm.k8s.io/v1beta2
kind: InitConfiguration
bootstrapTokens:
- token: ${TOKEN}
  description: text
  ttl: 24h
  usages:
  - signing
  - authentication
  groups:
  - system:bootstrappers:kubeadm:default-node-token
localAPIEndpoint:
  advertiseAddress: 192.0.2.7
  bindPort: 6443
certificateKey: ${'ab'.repeat(32)}
nodeRegistration:
  name: n1
  kubeletExtraArgs:
    v: "2"
---
apiVersion: kubeadm.k8s.io/v1beta2
kind: ClusterConfiguration
clusterName: kubernetes
kubernetesVersion: v1.20.2
controlPlaneEndpoint: 192.0.2.1:6443
certificatesDir: /etc/kubernetes/pki
imageRepository: registry.example.org
apiServer:
  timeoutForControlPlane: 4m0s
  certSANs:
  - a
  extraVolumes:
  - name: v
    hostPath: /a
    mountPath: /b
    readOnly: true
    pathType: File
controllerManager:
  extraArgs:
    v: "2"
dns:
  type: CoreDNS
  imageTag: v1.7.0
etcd:
  local:
    dataDir: /var/lib/etcd
    serverCertSANs:
    - a
networking:
  dnsDomain: cluster.local
  serviceSubnet: 10.96.0.0/12
  podSubnet: 10.1.0.0/16
featureGates:
  PublicKeysECDSA: true
`;

/** What each line's value is replaced with. */
export const SPOILERS = [
  '7',
  'true',
  '"text"',
  '[]',
  '{}',
  '~',
  '1.5',
  '12:30',
  '2001-01-01',
  'a_b',
  '["a"]',
  '{a: b}',
  '""',
];
