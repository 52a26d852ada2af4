import { describe, expect, it } from 'vitest';
import { readDocuments } from '../yaml/config-documents.ts';
import { checkConfig } from './check-config.ts';

const HASH = `sha256:${'ab'.repeat(32)}`;

const JOIN = `apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
discovery:
  bootstrapToken:
    apiServerEndpoint: api.example.org:6443
    caCertHashes:
    - ${HASH}
    token: abcdef.0123456789abcdef
  timeout: 5m0s
nodeRegistration:
  name: Node-1
  kubeletExtraArgs:
    v: "2"
  taints: []
`;

const CLUSTER = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
apiServer:
  extraArgs:
  - name: v
    value: "2"
  certSANs: [a, b]
etcd: {local: {dataDir: /var/lib/etcd}}
featureGates: {ControlPlaneKubeletLocalMode: true}
dns: {disabled: true}
certificateValidityPeriod: 8760h
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: {bindPort: 6443}
timeouts: {etcdAPICall: 2m0s}
nodeRegistration: {imagePullSerial: false}
`;

const told = (text: string, verb: 'init' | 'join' = 'join') =>
  checkConfig(verb, readDocuments(text, 'x')).map(
    ({ severity, message, line, column }) => `${severity} ${line}:${column} ${message}`,
  );

describe('checkConfig', () => {
  it('has nothing to say of what is right', () => {
    expect(told(JOIN)).toEqual([]);
    expect(told(CLUSTER, 'init')).toEqual([]);
    expect(told(JOIN.replace('v: "2"', 'hostname-override: node-1'))).toEqual([]);
    expect(told(JOIN.replace('v: "2"', 'hostname-override: "{{ ds.meta_data.hostname }}"'))).toEqual([]);
    expect(told(JOIN.replace('name: Node-1', 'name:').replace('"2"', 'null'))).toEqual([]);
  });

  it.each([
    [
      'a misspelt field',
      JOIN.replace('token:', 'Token:'),
      [/error 4:3 .*token is missing/, /warning 8:5 .*Token is not a field.*did you mean token\?/],
    ],
    [
      'an unknown field',
      `${JOIN}favouriteColour: red\n`,
      [/warning 15:1 favouriteColour is not a field of JoinConfiguration, and kubeadm ignores it$/],
    ],
    [
      'a field of a later version',
      `${JOIN}timeouts: {discovery: 1m}\n`,
      [/warning 15:1 timeouts was added in v1beta4, .* in v1beta3/],
    ],
    [
      'a field of an earlier version',
      JOIN.replace('v1beta3', 'v1beta4').replace(/\n {4}v: "2"/, ''),
      [/warning 9:3 discovery.timeout was removed after v1beta3,.*it is now timeouts.discovery/],
    ],
    [
      'a number for a text',
      JOIN.replace('"2"', '2'),
      [/error 13:8 nodeRegistration.kubeletExtraArgs.v must be a string: put the number in quotes/],
    ],
    [
      'a yes for a text',
      JOIN.replace('Node-1', 'yes'),
      [/error 11:9 nodeRegistration.name must be a string: put it in quotes/],
    ],
    [
      'a list for a mapping',
      JOIN.replace('v: "2"', '- {name: v, value: "2"}'),
      [/error 13:5 .*kubeletExtraArgs must be a mapping of flags to values, as in v1beta3/],
    ],
    [
      'a mapping for a list',
      JOIN.replace('v1beta3', 'v1beta4').replace('  timeout: 5m0s\n', ''),
      [/error 12:5 .*kubeletExtraArgs must be a list of entries with name and value, as in v1beta4/],
    ],
    [
      'a bad duration',
      JOIN.replace('5m0s', '5 minutes'),
      [/error 9:12 discovery.timeout must be a duration such as 5m0s/],
    ],
    [
      'a number for a duration',
      JOIN.replace('5m0s', '300'),
      [/error 9:12 discovery.timeout must be a duration/],
    ],
    [
      'no token',
      JOIN.replace(/ {4}token: .*\n/, ''),
      [/error 4:3 discovery.bootstrapToken.token is missing/],
    ],
    [
      'a token in the wrong form',
      JOIN.replace('abcdef.', 'abcde.'),
      [/error 8:5 .*token is not in the form/],
    ],
    [
      'no endpoint',
      JOIN.replace(/ {4}apiServerEndpoint: .*\n/, ''),
      [/error 4:3 .*apiServerEndpoint is missing/],
    ],
    [
      'an endpoint that is a URL',
      JOIN.replace('api.example', 'https://api.example'),
      [/error 5:5 .*must be host:port/],
    ],
    ['no CA hash', JOIN.replace(/ {4}caCertHashes:\n.*\n/, ''), [/error 4:3 .*needs caCertHashes/]],
    ['a CA hash that is none', JOIN.replace(HASH, 'sha256:abc'), [/error 7:7 a CA certificate hash/]],
    ['no discovery', JOIN.replace(/discovery:\n( .*\n)+/, ''), [/error 1:1 discovery must have/]],
    [
      'two ways of discovery',
      JOIN.replace('discovery:\n', 'discovery:\n  file: {kubeConfigPath: /a}\n'),
      [/error 3:1 .*not have both/],
    ],
    ['an impossible name', JOIN.replace('Node-1', 'a_b'), [/error 11:3 .*"a_b" cannot be the name/]],
    [
      'a kubelet that registers under another name',
      JOIN.replace('v: "2"', 'hostname-override: node-b7'),
      [/error 12:3 .*"Node-1" and the kubelet's hostname-override "node-b7" differ/],
    ],
    [
      'an unknown effect',
      JOIN.replace('[]', '[{key: a, effect: Never}]'),
      [/error 14:21 .*taints\[0\].effect must be one of/],
    ],
    ['a relative path', `${JOIN}caCertPath: ca.crt\n`, [/error 15:1 caCertPath must be an absolute path/]],
    [
      'a port that is none',
      `${JOIN}controlPlane: {localAPIEndpoint: {bindPort: 70000}}\n`,
      [/error 15:35 .*bindPort/],
    ],
  ])('tells of %s, with its place', (_, text, wanted) => {
    const found = told(text);
    expect(found).toHaveLength(wanted.length);
    wanted.forEach((pattern, index) => {
      expect(found[index]).toMatch(pattern);
    });
  });

  it('looks into both documents of an init', () => {
    const text = CLUSTER.replace('/var/lib/etcd', '7')
      .replace('6443', '"6443"')
      .replace('dns: {disabled: true', 'dns: {disabled: "true"');
    expect(told(text, 'init')).toEqual([
      'error 8:25 etcd.local.dataDir must be a string: put the number in quotes',
      'error 10:17 dns.disabled must be true or false, without quotes',
      'error 15:30 localAPIEndpoint.bindPort must be a number, without quotes',
    ]);
  });

  it.each([
    ['etcd: {local: {dataDir: etcd}}', /etcd.local.dataDir must be an absolute path/],
    ['networking: {podSubnet: 10.0.0.0}', /networking.podSubnet must be an address range/],
    [
      'networking: {serviceSubnet: "10.0.0.0/12,fd00::/200"}',
      /networking.serviceSubnet must be an address range/,
    ],
    ['networking: {dnsDomain: Cluster_local}', /networking.dnsDomain must be a DNS name/],
    ['controlPlaneEndpoint: "https://a:6443"', /controlPlaneEndpoint must be/],
    ['apiServer: {certSANs: [a.example.org, "a b"]}', /apiServer.certSANs\[1\] must be/],
  ])('refuses %s', (line, wanted) => {
    const text = `apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n${line}\n`;
    expect(told(text, 'init')).toEqual([expect.stringMatching(wanted)]);
  });

  it('takes both families, wildcards and names with ports', () => {
    const lines = [
      'networking: {podSubnet: "10.244.0.0/16,fd00:10:244::/56", dnsDomain: cluster.local}',
      'controlPlaneEndpoint: "[fd00::1]:6443"',
      'apiServer: {certSANs: ["*.example.org", "10.0.0.1", "fd00::1"]}',
    ];
    const text = `apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n${lines.join('\n')}\n`;
    expect(told(text, 'init')).toEqual([]);
  });

  it('follows anchors and merges, as kubeadm does', () => {
    const text = JOIN.replace('name: Node-1', '<<: &more {name: 7}').replace(
      HASH,
      `&hash ${HASH}\n    - *hash`,
    );
    expect(told(text)).toEqual([
      'error 12:20 nodeRegistration.name must be a string: put the number in quotes',
    ]);
  });

  it('passes over documents that kubeadm passes over, and versions that nobody knows', () => {
    expect(told(`${JOIN}---\n${CLUSTER.replace('/var/lib/etcd', '7')}`)).toEqual([]);
    expect(told(JOIN.replace('v1beta3', 'v1beta9').replace('Node-1', '7'))).toEqual([]);
  });

  it('never repeats a token', () => {
    const found = told(JOIN.replace('abcdef.0123456789abcdef', 'abcdef-0123456789abcdef')).join();
    expect(found).toContain('token');
    expect(found).not.toContain('0123456789');
  });
});
