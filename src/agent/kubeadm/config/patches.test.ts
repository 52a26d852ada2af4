import { describe, expect, test } from 'vitest';
import { yamlDocuments } from '../../../../test/support/kubeadm/yaml-documents.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import { readCall } from './read-call.ts';
import { shapedConfig } from './shaped-arguments.ts';

const join = (version: string, more = '') =>
  `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\ndiscovery:\n  bootstrapToken: {apiServerEndpoint: 'a:6443', token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true}\n${more}`;
const command = (verb: 'init' | 'join', ...args: string[]): KubeadmCommand => ({
  kind: 'kubeadm',
  verb,
  args: sensitive(args),
  configPath: 'f',
});
const shape = (text: string, minor: number, verb: 'init' | 'join' = 'join') =>
  shapedConfig(readCall({ ...command(verb), patches: '/p' }, text), { discoveryTimeoutSeconds: 60, minor });
const documents = (text = '') => yamlDocuments(text);

describe('patches', () => {
  test.each([
    ['v1beta3', 25],
    ['v1beta4', 33],
  ])('are in the configuration of %s', (version, minor) => {
    const { text, flags } = shape(join(version), minor);
    expect(documents(text)[0]).toMatchObject({ patches: { directory: '/p' } });
    expect(flags).toEqual([]);
  });

  test('are a flag where the version has no place for them', () => {
    expect(shape(join('v1beta2'), 20).flags).toEqual(['--experimental-patches=/p']);
    expect(shape(join('v1beta3'), 20).flags).toEqual(['--experimental-patches=/p']);
  });

  test('bring an older file into a version that has a place, as kubeadm takes no flag beside it from 1.22 on', () => {
    const { text, flags, converted } = shape(join('v1beta2'), 24);
    expect(flags).toEqual([]);
    expect(converted).toEqual({ from: 'v1beta2', to: 'v1beta3' });
    expect(documents(text)[0]).toMatchObject({
      apiVersion: 'kubeadm.k8s.io/v1beta3',
      patches: { directory: '/p' },
    });
    const without = shapedConfig(readCall(command('join'), join('v1beta2')), {
      discoveryTimeoutSeconds: 60,
      minor: 24,
    });
    expect(without.converted).toBeUndefined();
  });

  test('of the user stay', () => {
    const text = join('v1beta3', 'patches: {directory: /mine}\n');
    expect(readCall(command('join'), text).config?.patchesDirectory).toBe('/mine');
    expect(documents(shape(text, 25).text)[0]).toMatchObject({ patches: { directory: '/mine' } });
    expect(readCall(command('join', '--patches=/flag'), text).config?.patchesDirectory).toBe('/flag');
  });

  test('get a document where there is only one of the cluster', () => {
    const text = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration';
    expect(documents(shape(text, 25, 'init').text)).toEqual([
      { apiVersion: 'kubeadm.k8s.io/v1beta3', kind: 'ClusterConfiguration' },
      { apiVersion: 'kubeadm.k8s.io/v1beta3', kind: 'InitConfiguration', patches: { directory: '/p' } },
    ]);
  });
});
