import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  yamlDocuments as read,
  yamlText as write,
} from '../../../../../test/support/kubeadm/yaml-documents.ts';
import { readDocuments } from '../yaml/config-documents.ts';
import { convertConfig } from './convert.ts';

const head = (version: string, kind: string) => ({ apiVersion: `kubeadm.k8s.io/${version}`, kind });

const fromText = (verb: 'init' | 'join', text: string, minor: number) =>
  convertConfig(verb, readDocuments(text, 'x'), minor);

function convert(verb: 'init' | 'join', minor: number, ...documents: object[]) {
  const converted = fromText(verb, write(...documents), minor);
  if (converted === undefined) throw new Error('was not converted');
  return {
    ...converted,
    documents: read(converted.text),
    told: converted.problems.map(({ message }) => message),
  };
}

const newer = {
  cluster: {
    ...head('v1beta4', 'ClusterConfiguration'),
    apiServer: { extraArgs: [{ name: 'v', value: '2' }], certSANs: ['a'] },
    etcd: { local: { dataDir: '/srv/etcd', extraArgs: [{ name: 'snapshot-count', value: '10' }] } },
    kubernetesVersion: 'v1.31.0',
  },
  init: {
    ...head('v1beta4', 'InitConfiguration'),
    nodeRegistration: { kubeletExtraArgs: [{ name: 'provider-id', value: 'x://y' }], taints: [] },
    timeouts: { controlPlaneComponentHealthCheck: '6m0s' },
  },
};

const older = {
  cluster: {
    ...head('v1beta3', 'ClusterConfiguration'),
    apiServer: { extraArgs: { v: '2' }, certSANs: ['a'], timeoutForControlPlane: '6m0s' },
    etcd: { local: { dataDir: '/srv/etcd', extraArgs: { 'snapshot-count': '10' } } },
    kubernetesVersion: 'v1.31.0',
  },
  init: {
    ...head('v1beta3', 'InitConfiguration'),
    nodeRegistration: { kubeletExtraArgs: { 'provider-id': 'x://y' }, taints: [] },
  },
};

describe('convertConfig', () => {
  it('leaves what the installed kubeadm reads', () => {
    expect(fromText('init', write(older.cluster), 31)).toBeUndefined();
    expect(fromText('init', write(older.cluster), 22)).toBeUndefined();
    expect(fromText('init', write(newer.cluster), 40)).toBeUndefined();
    expect(fromText('join', write({ ...head('v1beta9', 'JoinConfiguration') }), 31)).toBeUndefined();
  });

  it('brings v1beta3 to kubeadm 1.37, which does not read it any more', () => {
    const { to, documents, told } = convert('init', 37, older.init, {
      ...older.cluster,
      featureGates: { PublicKeysECDSA: true },
    });
    expect({ to, told }).toEqual({ to: 'v1beta4', told: [] });
    expect(documents).toContainEqual({ ...newer.cluster, encryptionAlgorithm: 'ECDSA-P256' });
    const join = {
      ...head('v1beta3', 'JoinConfiguration'),
      discovery: { file: { kubeConfigPath: '/a' }, timeout: '5m' },
    };
    expect(convert('join', 37, join).documents).toEqual([
      {
        ...head('v1beta4', 'JoinConfiguration'),
        discovery: { file: { kubeConfigPath: '/a' } },
        timeouts: { discovery: '5m' },
      },
    ]);
  });

  it('keeps the other feature gates', () => {
    const gates = (featureGates: object) =>
      convert('init', 37, { ...older.cluster, featureGates }).documents.find(
        (one) => 'featureGates' in (one as object),
      );
    expect(gates({ PublicKeysECDSA: false })).toBeUndefined();
    expect(gates({ PublicKeysECDSA: false, RootlessControlPlane: true })).toMatchObject({
      featureGates: { RootlessControlPlane: true },
    });
  });

  it.each([
    ['v1beta2', 28, '/run/containerd/containerd.sock', 'unix:///run/containerd/containerd.sock'],
    ['v1beta2', 36, '/run/containerd/containerd.sock', 'unix:///run/containerd/containerd.sock'],
    ['v1beta3', 36, '/var/run/crio/crio.sock', 'unix:///var/run/crio/crio.sock'],
    ['v1beta3', 36, 'unix:///run/containerd/containerd.sock', 'unix:///run/containerd/containerd.sock'],
    ['v1beta3', 36, 'npipe:////./pipe/containerd', 'npipe:////./pipe/containerd'],
  ])('writes a socket of %s for kubeadm 1.%i as a URL: %s', (version, minor, criSocket, expected) => {
    const join = { ...head(version, 'JoinConfiguration'), nodeRegistration: { criSocket } };
    expect(convert('join', minor, join).documents[0]).toMatchObject({
      nodeRegistration: { criSocket: expected },
    });
  });

  it('turns lists of flags into mappings, moves the timeout, and back', () => {
    const down = convert('init', 30, newer.cluster, newer.init);
    expect(down.documents).toEqual([older.cluster, older.init]);
    expect(down).toMatchObject({ from: 'v1beta4', to: 'v1beta3', told: [], flags: [] });
    const up = convert('init', 35, older.cluster, older.init);
    expect(up.documents).toEqual([newer.cluster, newer.init]);
    expect(up).toMatchObject({ from: 'v1beta3', to: 'v1beta4', told: [], flags: [] });
  });

  it('makes the document that a setting moves to', () => {
    expect(convert('init', 35, older.cluster).documents[1]).toEqual({
      ...head('v1beta4', 'InitConfiguration'),
      timeouts: { controlPlaneComponentHealthCheck: '6m0s' },
    });
    expect(convert('init', 30, newer.init).documents[1]).toEqual({
      ...head('v1beta3', 'ClusterConfiguration'),
      apiServer: { timeoutForControlPlane: '6m0s' },
    });
  });

  it('moves the discovery timeout of a join', () => {
    const join = {
      ...head('v1beta4', 'JoinConfiguration'),
      discovery: { file: {} },
      timeouts: { discovery: '90s' },
    };
    const down = convert('join', 20, join);
    expect(down.documents).toEqual([
      { ...head('v1beta2', 'JoinConfiguration'), discovery: { file: {}, timeout: '90s' } },
    ]);
    expect(convert('join', 35, ...down.documents).documents).toEqual([join]);
  });

  it('says with flags what v1beta2 cannot say', () => {
    const { flags, told } = convert('init', 20, {
      ...head('v1beta3', 'InitConfiguration'),
      skipPhases: ['addon/kube-proxy', 'preflight'],
      patches: { directory: '/etc/patches' },
      nodeRegistration: { imagePullPolicy: 'IfNotPresent' },
    });
    expect(flags).toEqual([
      '--skip-phases=addon/kube-proxy,preflight',
      '--experimental-patches=/etc/patches',
    ]);
    expect(told).toEqual([]);
  });

  it('skips the phase of an add-on that is disabled', () => {
    const cluster = { ...newer.cluster, dns: { disabled: true }, proxy: { disabled: true } };
    const { documents, told } = convert('init', 30, cluster, { ...newer.init, skipPhases: ['preflight'] });
    expect(documents[1]?.skipPhases).toEqual(['preflight', 'addon/coredns', 'addon/kube-proxy']);
    expect(documents[0]).not.toHaveProperty('proxy');
    expect(told).toEqual([]);
    expect(convert('init', 20, cluster).flags).toEqual(['--skip-phases=addon/coredns,addon/kube-proxy']);
  });

  it('tells what cannot be said, with its place', () => {
    const { problems } = convert(
      'init',
      30,
      {
        ...newer.cluster,
        apiServer: {
          extraArgs: [
            { name: 'a', value: '1' },
            { name: 'a', value: '2' },
          ],
          extraEnvs: [{ name: 'X' }],
        },
        encryptionAlgorithm: 'RSA-4096',
      },
      { ...newer.init, timeouts: { etcdAPICall: '3m0s' }, dryRun: true },
    );
    const told = problems.map(({ severity, line, message }) => `${severity} ${line} ${message}`);
    expect(told).toEqual([
      expect.stringMatching(/^warning 8 apiServer.extraArgs sets --a twice/),
      expect.stringMatching(/^error 30 dryRun requests a dry run/),
      expect.stringMatching(/^warning 29 timeouts.etcdAPICall has no effect/),
      expect.stringMatching(/^warning 10 apiServer.extraEnvs has no effect/),
      expect.stringMatching(/^warning 19 encryptionAlgorithm has no effect/),
    ]);
  });

  it('tells of what v1beta3 took away', () => {
    const { told, documents } = convert('init', 30, {
      ...head('v1beta2', 'ClusterConfiguration'),
      dns: { type: 'kube-dns', imageTag: '1' },
      useHyperKubeImage: true,
    });
    expect(documents).toEqual([{ ...head('v1beta3', 'ClusterConfiguration'), dns: { imageTag: '1' } }]);
    expect(told).toEqual([expect.stringMatching(/kube-dns/), expect.stringMatching(/useHyperKubeImage/)]);
  });

  it('leaves the configuration of components as it stands', () => {
    const kubelet =
      '# by hand\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmode: 0644 # octal\n';
    const text = `${write(newer.cluster)}---\n${kubelet}`;
    const converted = fromText('init', text, 30)?.text ?? '';
    expect(converted).toContain(kubelet.split('\n').slice(1).join('\n'));
    expect(read(converted)[1]).toEqual(read(text)[1]);
  });

  it('keeps texts that look like something else', () => {
    const name = { ...newer.cluster, clusterName: 'yes', kubernetesVersion: '1.20', certificatesDir: '~' };
    const { documents } = convert('init', 20, name);
    expect(documents[0]).toMatchObject({
      clusterName: 'yes',
      kubernetesVersion: '1.20',
      certificatesDir: '~',
    });
    const odd = write(newer.cluster).replace('v1.31.0', '12:30');
    expect(read(fromText('init', odd, 20)?.text ?? '')[0]?.kubernetesVersion).toBe('12:30');
  });

  it('comes back to where it was, whatever flags and values there are', () => {
    const flags = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 4 });
    const texts = fc.array(fc.string(), { maxLength: 3 });
    const config = fc.record({ one: flags, two: flags, sans: texts, phases: texts, timeout: fc.nat(9999) });
    fc.assert(
      fc.property(config, ({ one, two, sans, phases, timeout }) => {
        const cluster = {
          ...head('v1beta3', 'ClusterConfiguration'),
          apiServer: { extraArgs: one, certSANs: sans, timeoutForControlPlane: `${timeout}s` },
        };
        const init = {
          ...head('v1beta3', 'InitConfiguration'),
          nodeRegistration: { kubeletExtraArgs: two, name: 'n' },
          skipPhases: phases,
        };
        const up = convert('init', 35, cluster, init);
        expect(up.told).toEqual([]);
        const down = convert('init', 30, ...up.documents);
        expect(down.told).toEqual([]);
        expect(down.documents).toEqual([cluster, init]);
      }),
    );
  });
});
