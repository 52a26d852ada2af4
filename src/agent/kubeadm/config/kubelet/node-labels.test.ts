import { describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { readDocuments } from '../yaml/config-documents.ts';
import { withLabels } from './node-labels.ts';
import { extraArgument } from './node-registration.ts';

const HEAD = (version: string) => `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\n`;
const labels = { 'example.com/gpu': 'A100', rack: 'r7' };
function labelsIn(text: string): string | undefined {
  const own = readDocuments(text, 'file').find((document) => document.own);
  readConfig({ verb: 'join', args: [], documents: readDocuments(text, 'file') });
  return extraArgument(own?.values.nodeRegistration, 'node-labels');
}

describe.each(['v1beta3', 'v1beta4'])('labels in %s', (version) => {
  const list = version === 'v1beta4';
  test.each([
    ['without a registration', 'discovery: {}\n'],
    ['with an empty one', 'nodeRegistration:\ndiscovery: {}\n'],
    ['with a name', 'nodeRegistration:\n  name: n1\n'],
    ['with empty arguments', 'nodeRegistration:\n  kubeletExtraArgs:\n  name: n1\n'],
    [
      'with arguments',
      list
        ? 'nodeRegistration:\n  kubeletExtraArgs:\n  - name: v\n    value: "2"\n  name: n1\n'
        : 'nodeRegistration:\n  kubeletExtraArgs:\n    v: "2"\n  name: n1\n',
    ],
    [
      'in one line',
      list
        ? 'nodeRegistration: {kubeletExtraArgs: [{name: v, value: "2"}]}\n'
        : 'nodeRegistration: {kubeletExtraArgs: {v: "2"}}\n',
    ],
  ])('%s', (_, rest) => {
    const put = withLabels(HEAD(version) + rest, 'join', labels, version);
    expect(labelsIn(put)).toBe('example.com/gpu=A100,rack=r7');
    if (rest.includes('"2"')) expect(put).toContain('"2"');
    expect(withLabels(put, 'join', labels, version)).toBe(put);
  });

  test('join those that are there, which stay as they are', () => {
    const rest = list
      ? 'nodeRegistration:\n  kubeletExtraArgs:\n    - name: node-labels\n      value: a=b,rack=r1\n'
      : 'nodeRegistration:\n  kubeletExtraArgs:\n    node-labels: a=b,rack=r1\n';
    const put = withLabels(HEAD(version) + rest, 'join', labels, version);
    expect(labelsIn(put)).toBe('a=b,rack=r1,example.com/gpu=A100');
  });

  test('of an init that has a ClusterConfiguration alone get a document of their own', () => {
    const text = `apiVersion: kubeadm.k8s.io/${version}\nkind: ClusterConfiguration`;
    const put = withLabels(text, 'init', labels, version);
    const own = readDocuments(put, 'file').find(({ kind }) => kind === 'InitConfiguration');
    expect(extraArgument(own?.values.nodeRegistration, 'node-labels')).toBe('example.com/gpu=A100,rack=r7');
  });

  test('are refused where something else stands in their place', () => {
    const rest = `nodeRegistration:\n  kubeletExtraArgs: ${list ? '{v: "2"}' : '[{name: v, value: "2"}]'}\n`;
    expect(() => withLabels(HEAD(version) + rest, 'join', labels, version)).toThrow(
      /Cannot add slipway.labels/,
    );
  });
});

test('nothing to add changes nothing', () => {
  const text = `${HEAD('v1beta4')}nodeRegistration: {name: n}\n`;
  expect(withLabels(text, 'join', {}, 'v1beta4')).toBe(text);
});
