import { describe, expect, it } from 'vitest';
import {
  controlPlaneTaint,
  etcdSeries,
  fastKeys,
  hasInsecurePort,
  hostAllowance,
  joiningControlPlaneArgs,
  minorOf,
  needsCrictl,
  releaseOf,
  rootKubeconfig,
} from './release.ts';

const list = (version: string, [etcd, coredns, pause]: readonly [string, string, string]): string =>
  [
    ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'].map(
      (name) => `registry.k8s.io/${name}:${version}`,
    ),
    `registry.k8s.io/coredns/coredns:${coredns}`,
    `registry.k8s.io/pause:${pause}`,
    `registry.k8s.io/etcd:${etcd}`,
    '',
  ].join('\n');

const OLD = `k8s.gcr.io/kube-apiserver:v1.20.2
k8s.gcr.io/kube-controller-manager:v1.20.2
k8s.gcr.io/kube-scheduler:v1.20.2
k8s.gcr.io/kube-proxy:v1.20.2
k8s.gcr.io/pause:3.2
k8s.gcr.io/etcd:3.4.13-0
k8s.gcr.io/coredns:1.7.0
`;

describe('a release', () => {
  it('of 2021 has its images at the old place, and the old configuration', () => {
    const release = releaseOf('v1.20.2', OLD);
    expect(release).toMatchObject({ minor: 20, configApi: 'v1beta2', cgroupDriver: 'cgroupfs' });
    expect(release.images.coredns).toBe('k8s.gcr.io/coredns:1.7.0');
    expect(release.images.pause).toBe('k8s.gcr.io/pause:3.2');
    expect(etcdSeries(release)).toBe('3.4');
    expect(fastKeys(release)).toEqual({ featureGates: { PublicKeysECDSA: true } });
  });

  it.each([
    ['v1.31.14', 'v1beta4', '3.5', ['3.5.24-0', 'v1.11.3', '3.10']],
    ['v1.33.13', 'v1beta4', '3.5', ['3.5.24-0', 'v1.12.0', '3.10']],
    ['v1.34.9', 'v1beta4', '3.6', ['3.6.5-0', 'v1.12.1', '3.10.1']],
    ['v1.35.6', 'v1beta4', '3.6', ['3.6.6-0', 'v1.13.1', '3.10.1']],
    ['v1.36.2', 'v1beta4', '3.6', ['3.6.8-0', 'v1.14.2', '3.10.2']],
  ] as const)('%s reads %s and runs etcd %s', (version, configApi, series, tags) => {
    const release = releaseOf(version, list(version, tags));
    expect(release).toMatchObject({ version, configApi, cgroupDriver: 'systemd' });
    expect(release.images['kube-proxy']).toBe(`registry.k8s.io/kube-proxy:${version}`);
    expect(release.images.coredns).toBe(`registry.k8s.io/coredns/coredns:${tags[1]}`);
    expect(release.images.pause).toBe(`registry.k8s.io/pause:${tags[2]}`);
    expect(etcdSeries(release)).toBe(series);
    expect(fastKeys(release)).toEqual({ encryptionAlgorithm: 'ECDSA-P256' });
  });

  it.each([
    [28, 'v1beta3'],
    [29, 'v1beta3'],
    [30, 'v1beta3'],
    [31, 'v1beta4'],
    [32, 'v1beta4'],
  ])('1.%i reads %s', (minor, configApi) => {
    const version = `v1.${minor}.0`;
    expect(releaseOf(version, list(version, ['3.5.15-0', 'v1.11.1', '3.9'])).configApi).toBe(configApi);
  });

  it('that does not name all images is refused', () => {
    expect(() => releaseOf('v1.20.2', OLD.replace(/.*etcd.*\n/, ''))).toThrow(/no image for etcd/);
  });
});

it.each([
  ['v1.35.0-alpha.0', 35],
  ['v1.36.2+abc', 36],
])('%s is of minor %i', (version, minor) => expect(minorOf(version)).toBe(minor));

it('refuses what is no version', () => expect(() => minorOf('stable')).toThrow(RangeError));

it('needs crictl until kubeadm asks the runtime itself', () =>
  expect([20, 28, 30, 31, 36].map(needsCrictl)).toEqual([true, true, true, false, false]));

it('has an insecure port to close until 1.23', () =>
  expect([20, 23, 24, 36].map(hasInsecurePort)).toEqual([true, true, false, false]));

it('has all rights by another kubeconfig since 1.29', () =>
  expect([20, 28, 29, 36].map(rootKubeconfig)).toEqual(['admin', 'admin', 'super-admin', 'super-admin']));

it('keeps pods off control planes by a taint of another name since 1.24', () =>
  expect([20, 23, 24, 36].map(controlPlaneTaint)).toEqual([
    'node-role.kubernetes.io/master',
    'node-role.kubernetes.io/master',
    'node-role.kubernetes.io/control-plane',
    'node-role.kubernetes.io/control-plane',
  ]));

describe('what a node must be told to start', () => {
  const disk = { 'eviction-hard': expect.any(String), 'image-gc-high-threshold': '100' };
  const always = { kubeletExtraArgs: disk };
  const told = {
    ignorePreflightErrors: ['SystemVerification'],
    kubeletExtraArgs: { ...disk, 'fail-cgroupv1': 'false' },
  };
  it.each([
    [34, true, always],
    [35, true, told],
    [36, true, told],
    [36, false, always],
  ])('1.%i, control groups of version 1: %s', (minor, version1, expected) =>
    expect(hostAllowance(minor, version1)).toEqual(expected),
  );

  it.each([
    [21, ['feature-gates']],
    [22, []],
  ])('1.%i, where it joins as control plane', (minor, names) =>
    expect(Object.keys(joiningControlPlaneArgs(minor))).toEqual(names),
  );
});
