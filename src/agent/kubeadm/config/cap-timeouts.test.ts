import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { capTimeouts } from './cap-timeouts.ts';
import { putScalar } from './yaml/edit-yaml.ts';

const values = (text: string) => parseAllDocuments(text).map((document) => document.toJS());
const head = (kind: string, version: string) => `apiVersion: kubeadm.k8s.io/${version}\nkind: ${kind}\n`;

describe('capTimeouts', () => {
  it('ends every wait of a join before the deadline, from v1beta4 on', () => {
    const text = `${head('JoinConfiguration', 'v1beta4')}timeouts:\n  discovery: 10s # short\n  tlsBootstrap: 5m0s\n`;
    expect(values(capTimeouts(text, 'join', 'v1beta4', 100))[0]).toMatchObject({
      timeouts: {
        discovery: '10s',
        tlsBootstrap: '1m40s',
        kubeletHealthCheck: '1m40s',
        controlPlaneComponentHealthCheck: '1m40s',
      },
    });
    expect(capTimeouts(text, 'join', 'v1beta4', 100)).toContain('# short');
  });

  it('knows the older places', () => {
    const join = `${head('JoinConfiguration', 'v1beta3')}discovery: {timeout: 5m0s, bootstrapToken: {}}\n`;
    expect(capTimeouts(join, 'join', 'v1beta3', 30)).toBe(join.replace('5m0s', '30s'));
    const init = `${head('InitConfiguration', 'v1beta2')}---\n${head('ClusterConfiguration', 'v1beta2')}apiServer: {}\n`;
    expect(values(capTimeouts(init, 'init', 'v1beta2', 90))[1]).toMatchObject({
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

describe('putScalar', () => {
  const put = (text: string) =>
    putScalar(
      text,
      'JoinConfiguration',
      ['discovery', 'bootstrapToken', 'apiServerEndpoint'],
      '"b:1"',
      () => true,
    );

  it('replaces a value in any style, and makes what is missing', () => {
    const text = `${head('JoinConfiguration', 'v1beta3')}discovery:\n  bootstrapToken:\n    apiServerEndpoint: 'a:1' # one\n    token: x\n`;
    expect(put(text)).toBe(text.replace("'a:1'", '"b:1"'));
    expect(values(put(`${head('JoinConfiguration', 'v1beta3')}discovery:\n`))[0]).toMatchObject({
      discovery: { bootstrapToken: { apiServerEndpoint: 'b:1' } },
    });
  });

  it('keeps its hands off aliases, lists and other documents', () => {
    const join = head('JoinConfiguration', 'v1beta3');
    for (const text of [
      `${join}x: &d {a: b}\ndiscovery: *d\n`,
      `${join}discovery: [1]\n`,
      head('InitConfiguration', 'v1beta3'),
    ])
      expect(put(text)).toBe(text);
  });
});
