import { describe, expect, it } from 'vitest';
import { KubeadmError } from '../kubeadm-error.ts';
import { readConfig } from './config.ts';
import { readDocuments } from './yaml/config-documents.ts';

const JOIN = `---
apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
caCertPath: ""
controlPlane:
  localAPIEndpoint: {advertiseAddress: 192.0.2.7, bindPort: 8443}
discovery:
  bootstrapToken:
    apiServerEndpoint: api.example.org:6443
    caCertHashes: [sha256:aa]
    token: abcdef.0123456789abcdef
  timeout: 2m30s
nodeRegistration:
  criSocket: unix:///run/containerd/containerd.sock
  kubeletExtraArgs: {provider-id: "aws:///x"}
  name: n1
  ignorePreflightErrors: [Swap]
skipPhases: [addon/kube-proxy]
`;

const INIT = `---
apiVersion: kubeadm.k8s.io/v1beta4
certificatesDir: /srv/pki
controlPlaneEndpoint: api.example.org:6443
etcd: {local: {dataDir: /srv/etcd}}
kind: ClusterConfiguration
kubernetesVersion: v1.31.2

---
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: {}
nodeRegistration:
  kubeletExtraArgs:
  - {name: v, value: "2"}
  - {name: provider-id, value: "kind://x"}
`;

const failureOf = (text: string, verb: 'init' | 'join' = 'join') => {
  try {
    readConfig({
      verb,
      args: [],
      documents: readDocuments(text, '/run/kubeadm/x.yaml'),
      name: '/run/kubeadm/x.yaml',
    });
  } catch (error) {
    if (error instanceof KubeadmError) return error.failure;
    throw error;
  }
  return undefined;
};

describe('readConfig', () => {
  it('reads a join', () => {
    expect(
      readConfig({ verb: 'join', args: ['--config', '/a'], documents: readDocuments(JOIN, 'f') }),
    ).toEqual({
      verb: 'join',
      configVersion: 'v1beta3',
      nodeName: 'n1',
      criSocket: 'unix:///run/containerd/containerd.sock',
      endpoints: ['api.example.org:6443'],
      apiServer: 'api.example.org:6443',
      tokenId: 'abcdef',
      token: expect.anything(),
      serviceSubnets: [],
      podSubnets: [],
      discoveryTimeoutSeconds: 150,
      controlPlane: true,
      certificatesDir: '/etc/kubernetes/pki',
      caCertPath: '/etc/kubernetes/pki/ca.crt',
      externalEtcd: false,
      etcdDataDir: '/var/lib/etcd',
      advertiseAddress: '192.0.2.7',
      bindPort: 8443,
      providerId: 'aws:///x',
      allowsCgroupV1: false,
      skipPhases: ['addon/kube-proxy'],
      ignorePreflightErrors: ['Swap'],
    });
  });

  it('reads an init of two documents', () => {
    expect(readConfig({ verb: 'init', args: [], documents: readDocuments(INIT, 'f') })).toMatchObject({
      configVersion: 'v1beta4',
      endpoints: ['api.example.org:6443'],
      controlPlane: true,
      certificatesDir: '/srv/pki',
      etcdDataDir: '/srv/etcd',
      kubernetesVersion: 'v1.31.2',
      providerId: 'kind://x',
      bindPort: 6443,
    });
  });

  it.each([
    ['a map of arguments', '{nodeRegistration: {kubeletExtraArgs: {fail-cgroupv1: "false"}}', true],
    ['a list', '{nodeRegistration: {kubeletExtraArgs: [{name: fail-cgroupv1, value: "0"}]}', true],
    [
      'an argument that says the contrary',
      '{nodeRegistration: {kubeletExtraArgs: {fail-cgroupv1: "true"}}',
      false,
    ],
    ['another argument', '{nodeRegistration: {kubeletExtraArgs: {v: "2"}}', false],
  ])('knows by %s whether the kubelet takes control groups of version 1', (_, members, allowed) => {
    const text = `${members}, apiVersion: kubeadm.k8s.io/v1beta4, kind: JoinConfiguration}`;
    expect(readConfig({ verb: 'join', args: [], documents: readDocuments(text, 'f') }).allowsCgroupV1).toBe(
      allowed,
    );
  });

  it('reads that of the cluster where the node has no argument of its own', () => {
    const kubelet =
      '{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, failCgroupV1: false}';
    const init = (args: string) =>
      `{apiVersion: kubeadm.k8s.io/v1beta4, kind: InitConfiguration, nodeRegistration: {kubeletExtraArgs: [${args}]}}\n---\n${kubelet}`;
    const allowed = (args: string) =>
      readConfig({ verb: 'init', args: [], documents: readDocuments(init(args), 'f') }).allowsCgroupV1;
    expect(allowed('')).toBe(true);
    expect(allowed('{name: fail-cgroupv1, value: "true"}')).toBe(false);
  });

  it.each([
    ['nothing', '', undefined],
    ['a threshold alone', '{name: image-gc-high-threshold, value: "95"}', { own: 0.1, images: 0.15 }],
    ['a lower one', '{name: image-gc-high-threshold, value: "60"}', { own: 0.1, images: 0.4 }],
    [
      'both',
      '{name: image-gc-high-threshold, value: "100"}, {name: eviction-hard, value: "nodefs.available<2%,imagefs.available<1%"}',
      { own: 0.02, images: 0.01 },
    ],
    [
      'what is no share',
      '{name: image-gc-high-threshold, value: many}, {name: eviction-hard, value: "nodefs.available<1Gi"}',
      { own: 0, images: 0 },
    ],
  ])('knows by the arguments of the kubelet when it makes room: %s', (_, args, wanted) => {
    const text = `{apiVersion: kubeadm.k8s.io/v1beta4, kind: JoinConfiguration, nodeRegistration: {kubeletExtraArgs: [${args}]}}`;
    expect(readConfig({ verb: 'join', args: [], documents: readDocuments(text, 'f') }).leastFree).toEqual(
      wanted,
    );
  });

  it('knows it by the configuration of all kubelets', () => {
    const text = `{apiVersion: kubeadm.k8s.io/v1beta4, kind: InitConfiguration}
---
{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, imageGCHighThresholdPercent: 92, evictionHard: {imagefs.available: 5%}}`;
    const { leastFree } = readConfig({ verb: 'init', args: [], documents: readDocuments(text, 'f') });
    expect(leastFree).toEqual({ own: 0, images: expect.closeTo(0.08) });
    // It evicts no pods for want of room then, as with the argument.
    const others = text.replace('imagefs.available: 5%', 'memory.available: 100Mi');
    const documents = readDocuments(others, 'f');
    expect(readConfig({ verb: 'init', args: [], documents }).leastFree).toEqual(leastFree);
  });

  it('lets flags win', () => {
    const args = [
      '198.51.100.1:6443',
      '--node-name=n2',
      '--cri-socket',
      '/x.sock',
      '--ignore-preflight-errors=Mem,NumCPU',
    ];
    expect(readConfig({ verb: 'join', args, documents: readDocuments(JOIN, 'f') })).toMatchObject({
      nodeName: 'n2',
      criSocket: '/x.sock',
      endpoints: ['198.51.100.1:6443'],
      ignorePreflightErrors: ['Mem', 'NumCPU', 'Swap'],
    });
    expect(
      readConfig({ verb: 'join', args: ['a:1', '--token', 'abcdef.0123456789abcdef', '--control-plane'] }),
    ).toMatchObject({ endpoints: ['a:1'], tokenId: 'abcdef', controlPlane: true });
  });

  it('reads the timeout of v1beta4 and files for discovery', () => {
    const text = `apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\ntimeouts: {discovery: 90s}\ndiscovery: {file: {kubeConfigPath: /run/d.conf}}\n`;
    expect(readConfig({ verb: 'join', args: [], documents: readDocuments(text, 'f') })).toMatchObject({
      discoveryTimeoutSeconds: 90,
      discoveryFile: '/run/d.conf',
      endpoints: [],
      controlPlane: false,
    });
  });

  it.each([
    [
      'bad YAML',
      'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\n a: [\n',
      /\(line \d+, column \d+\)/,
    ],
    ['a list', '- a\n', /not a mapping.*line 1, column 1/],
    ['no kind', 'a: b\n', /no kind and apiVersion/],
    ['the wrong kind', INIT, /has no JoinConfiguration/],
    ['nothing', '\n', /has no JoinConfiguration/],
    ['the same kind twice', `${JOIN}---\n${JOIN}`, /appears twice \(line 21/],
  ])('refuses %s', (_, text, cause) => {
    expect(failureOf(text)).toMatchObject({
      code: 'KubeadmConfigInvalid',
      cause: expect.stringMatching(cause),
    });
  });

  it('does not repeat what stands in the file', () => {
    const secret = '0123456789abcdef';
    const failure = failureOf(
      `apiVersion: v1\nkind: JoinConfiguration\ntoken: "abcdef.${secret}\nother: *missing\n`,
    );
    expect(failure?.code).toBe('KubeadmConfigInvalid');
    expect(JSON.stringify(failure)).not.toContain(secret);
  });

  it('accepts what kubeadm accepts: a key given twice', () => {
    expect(
      failureOf(JOIN.replace('kind: JoinConfiguration', 'kind: JoinConfiguration\nkind: JoinConfiguration')),
    ).toBeUndefined();
  });
});
