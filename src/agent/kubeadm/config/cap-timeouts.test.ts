import { describe, expect, it } from 'vitest';
import { yamlDocuments } from '../../../../test/support/kubeadm/yaml-documents.ts';
import { capTimeouts } from './cap-timeouts.ts';
import { setValue } from './yaml/edit-document.ts';

const head = (kind: string, version: string) => `apiVersion: kubeadm.k8s.io/${version}\nkind: ${kind}\n`;

describe('capTimeouts', () => {
  it('ends every wait of a join before the deadline, from v1beta4 on', () => {
    const text = `${head('JoinConfiguration', 'v1beta4')}timeouts:\n  discovery: 10s\n  tlsBootstrap: 5m0s\n`;
    expect(yamlDocuments(capTimeouts(text, 'join', 'v1beta4', 100))[0]).toMatchObject({
      timeouts: {
        discovery: '10s',
        tlsBootstrap: '1m40s',
        kubeletHealthCheck: '1m40s',
        controlPlaneComponentHealthCheck: '1m40s',
      },
    });
  });

  it('knows the older places', () => {
    const join = `${head('JoinConfiguration', 'v1beta3')}discovery: {timeout: 5m0s, bootstrapToken: {}}\n`;
    expect(yamlDocuments(capTimeouts(join, 'join', 'v1beta3', 30))[0]).toMatchObject({
      discovery: { timeout: '30s', bootstrapToken: {} },
    });
    const init = `${head('InitConfiguration', 'v1beta2')}---\n${head('ClusterConfiguration', 'v1beta2')}apiServer: {}\n`;
    expect(yamlDocuments(capTimeouts(init, 'init', 'v1beta2', 90))[1]).toMatchObject({
      apiServer: { timeoutForControlPlane: '1m30s' },
    });
  });

  it('changes nothing while there is time', () => {
    for (const version of ['v1beta3', 'v1beta4']) {
      const text = `${head('JoinConfiguration', version)}discovery: {}\n`;
      expect(capTimeouts(text, 'join', version, 1200)).toBe(text);
    }
  });
});

describe('setValue', () => {
  const put = (text: string) =>
    setValue(
      text,
      'JoinConfiguration',
      ['discovery', 'bootstrapToken', 'apiServerEndpoint'],
      'b:1',
      () => true,
    );

  it('replaces a value in any style, and makes what is missing', () => {
    const text = `${head('JoinConfiguration', 'v1beta3')}discovery:\n  bootstrapToken:\n    apiServerEndpoint: 'a:1' # one\n    token: x\n`;
    expect(yamlDocuments(put(text))).toEqual(yamlDocuments(text.replace('a:1', 'b:1')));
    expect(yamlDocuments(put(`${head('JoinConfiguration', 'v1beta3')}discovery:\n`))[0]).toMatchObject({
      discovery: { bootstrapToken: { apiServerEndpoint: 'b:1' } },
    });
  });

  it('writes to one place alone, where an alias stands for two', () => {
    const text = `${head('JoinConfiguration', 'v1beta3')}x: &d {a: b}\ndiscovery: *d\n`;
    expect(yamlDocuments(put(text))[0]).toMatchObject({
      x: { a: 'b' },
      discovery: { a: 'b', bootstrapToken: { apiServerEndpoint: 'b:1' } },
    });
  });

  it('keeps its hands off lists and other documents', () => {
    const join = head('JoinConfiguration', 'v1beta3');
    for (const text of [`${join}discovery: [1]\n`, head('InitConfiguration', 'v1beta3')])
      expect(put(text)).toBe(text);
  });
});
