import { load, loadAll } from 'js-yaml';
import { expect, it } from 'vitest';
import { checkConfig } from '../../../src/agent/kubeadm/config/api/check-config.ts';
import { readDocuments } from '../../../src/agent/kubeadm/config/yaml/config-documents.ts';
import type { ClusterData } from './cluster-data.ts';
import { clusterConfiguration, initConfiguration, joinConfiguration } from './kubeadm-configuration.ts';

const cluster = (kubernetesVersion: string): ClusterData => ({
  name: 'lab',
  endpoint: '10.99.0.1:6443',
  kubernetesVersion,
  certificates: { files: [], caCertHash: `sha256:${'0'.repeat(64)}` },
  token: 'abcdef.0123456789abcdef',
});

it.each([
  ['v1.20.2', 'v1beta2'],
  ['v1.28.15', 'v1beta3'],
  ['v1.30.0', 'v1beta3'],
  ['v1.31.0', 'v1beta4'],
  ['v1.35.6', 'v1beta4'],
  ['v1.36.2', 'v1beta4'],
])('a configuration for %s is a right one of %s', (version, api) => {
  const join = joinConfiguration(cluster(version), {
    name: 'w1',
    kubeletExtraArgs: { v: '2' },
    advertiseAddress: '10.99.0.2',
    discovery: { timeout: '5s' },
  });
  const parts = [
    clusterConfiguration(cluster(version)),
    initConfiguration(cluster(version), '10.99.0.2', { name: 'cp1' }),
  ];
  const init = parts.join('---\n');
  expect([
    ...checkConfig('join', readDocuments(join, 'join')),
    ...checkConfig('init', readDocuments(init, 'init')),
  ]).toEqual([]);
  for (const document of [...loadAll(init), ...loadAll(join)] as { apiVersion: string }[])
    expect(document.apiVersion).toBe(`kubeadm.k8s.io/${api}`);
  const { discovery, timeouts, nodeRegistration } = load(join) as Record<
    'discovery' | 'timeouts' | 'nodeRegistration',
    Record<string, unknown>
  >;
  expect(api === 'v1beta4' ? timeouts.discovery : discovery.timeout).toBe('5s');
  const args = nodeRegistration.kubeletExtraArgs;
  if (api === 'v1beta4') expect(args).toContainEqual({ name: 'v', value: '2' });
  else expect(args).toMatchObject({ v: '2' });
});

it('is as Cluster API writes it', () =>
  expect(joinConfiguration(cluster('v1.34.0'))).toBe(`apiVersion: kubeadm.k8s.io/v1beta4
discovery:
  bootstrapToken:
    apiServerEndpoint: 10.99.0.1:6443
    caCertHashes:
    - sha256:${'0'.repeat(64)}
    token: abcdef.0123456789abcdef
kind: JoinConfiguration
nodeRegistration:
  criSocket: /run/containerd/containerd.sock
  kubeletExtraArgs:
  - name: eviction-hard
    value: nodefs.available<1%,imagefs.available<1%
  - name: image-gc-high-threshold
    value: '100'
  name: '{{ ds.meta_data.local_hostname }}'
`));
