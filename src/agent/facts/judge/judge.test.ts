import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readDocument } from '../../userdata/fixtures/read-document.ts';
import { GPU_SERVER, plant } from '../fixtures/tree.ts';
import { gatherFacts } from '../gather.ts';
import type { Facts } from '../reading/facts.ts';
import { resolveLabels, toLabelValue } from './labels.ts';
import { unmetExpectations } from './unmet-expectations.ts';

let root: string;
let facts: Facts;
beforeEach(async () => {
  root = plant(GPU_SERVER);
  facts = await gatherFacts(createLinuxHost({ root }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (text: string) =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData: {}, source: 'nocloud' });

describe('slipway: {labels: ...}', () => {
  const given = (text: string) => resolveLabels(read(text).node?.labels ?? [], facts);

  test('are computed from the facts, as Kubernetes allows values', () => {
    const { labels, problems } = given(`slipway:
  labels:
    example.com/gpu: "{{ facts.gpus[0].model }}"
    example.com/gpus: "{{ facts.gpus | length }}"
    example.com/vendor: "{{ facts.system.vendor | lower }}"
    example.com/tape: "{{ facts.tapes | default('none') }}"
    example.com/none: "{% if facts.cpu.sockets > 8 %}big{% endif %}"
    rack: r7
`);
    expect(problems).toEqual([]);
    expect(labels).toEqual({
      'example.com/gpu': 'NVIDIA-A100-SXM4-80GB',
      'example.com/gpus': '8',
      'example.com/vendor': 'supermicro',
      'example.com/tape': 'none',
      rack: 'r7',
    });
  });

  test('about what the machine does not have are errors with their place', () => {
    const { labels, problems } = given(
      'slipway: {labels: {a: "{{ facts.tapes[0].model }}", b: "{{ facts.source.zone }}", c: "{{ nothing }}"}}\n',
    );
    expect(labels).toEqual({});
    expect(problems.map(({ message, where }) => `${where?.line}:${where?.column} ${message}`)).toEqual([
      expect.stringMatching(/^2:23 slipway.labels: a: .*tapes/),
      expect.stringMatching(/^2:\d+ slipway.labels: b: this machine has no zone/),
      expect.stringMatching(/^2:\d+ slipway.labels: c: this machine has no nothing/),
    ]);
  });

  test.each([
    ['node-role.kubernetes.io/gpu: x', /cannot be set by a kubelet on its own Node \(NodeRestriction\)/],
    ['node-restriction.kubernetes.io/a: x', /NodeRestriction/],
    ['k8s.io/a: x', /NodeRestriction/],
    ['a.kubernetes.io/b: x', /NodeRestriction/],
    ['"a/b/c": x', /is not a label/],
    ['Upper.example/a: x', /is not a label/],
    ['"": x', /is not a label/],
    [`example.com/${'a'.repeat(64)}: x`, /is not a label/],
    ['a: "no spaces here"', /has an invalid label value; allowed are/],
    ['a: "{{ facts."', /has an invalid template/],
    ['a: [1]', /must be a string/],
  ])('refuse %s, with line and column', (entry, wanted) => {
    const { report, node } = read(`slipway:\n  labels:\n    ${entry}\n`);
    expect(report).toMatchObject([{ severity: 'error', code: 'UserDataInvalid', where: { line: 4 } }]);
    expect(report[0]?.message).toMatch(wanted);
    expect(node?.labels).toEqual([]);
  });

  test('may be those that a kubelet may give itself', () => {
    const keys = [
      'kubernetes.io/arch',
      'topology.kubernetes.io/zone',
      'node.kubernetes.io/x',
      'a.kubelet.kubernetes.io/x',
    ];
    expect(read(`slipway: {labels: {${keys.map((key) => `${key}: x`).join(', ')}}}\n`).report).toEqual([]);
  });

  test.each([
    ['NVIDIA A100-SXM4-80GB', 'NVIDIA-A100-SXM4-80GB'],
    ['  (R) Xeon / Gold_6 ', 'R-Xeon-Gold_6'],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
    ['Ä', ''],
    ['../..', ''],
  ])('%j is the value %j', (text, wanted) => expect(toLabelValue(text)).toBe(wanted));
});

describe('slipway: {expect: ...}', () => {
  const judged = (text: string) => {
    const { node, report } = read(`slipway: {expect: ${text}}\n`);
    expect(report).toEqual([]);
    return node?.expect && unmetExpectations(node.expect, facts);
  };

  test('is silent about a machine that is so', () => {
    expect(
      judged(
        '{memory: ">= 16Gi", cpus: 8, cores: ">=4", sockets: 2, gpus: 8, numaNodes: 2, architecture: x86_64, ' +
          'secureBoot: true, tpm: "2.0", firmware: uefi, virtualisation: none, ' +
          'disks: [{size: ">= 500Gi"}, {size: ">= 3T", rotational: false}, {model: st12000}]}',
      ),
    ).toEqual([]);
    expect(judged('{gpus: [{model: a100}, {model: "A100-SXM4"}], architecture: amd64}')).toEqual([]);
  });

  test('says what is otherwise', () => {
    expect(judged('{memory: "> 2Ti", gpus: 1, secureBoot: false, tpm: "1.2"}')).toEqual([
      'memory is to be > 2Ti, and this machine has 1007 GiB',
      'gpus is to be 1, and this machine has 8',
      'secureBoot is to be false, and here it is true',
      'tpm is to be 1.2, and here it is 2.0',
    ]);
    expect(judged('{gpus: [{model: h100}]}')).toEqual([
      expect.stringMatching(/^there is no GPU "h100" among/),
    ]);
  });

  test('gives each wish a disk of its own, whoever asks first', () => {
    const two = { ...facts, disks: facts.disks.slice(0, 2) };
    const wishes = (text: string) => {
      const { expect: wanted } = read(`slipway: {expect: {disks: ${text}}}\n`).node ?? {};
      return wanted && unmetExpectations(wanted, two);
    };
    expect(wishes('[{size: "> 1T"}, {rotational: false}]')).toEqual([]);
    expect(wishes('[{rotational: false}, {size: "> 1T"}]')).toEqual([]);
    expect(wishes('[{rotational: false}, {rotational: false}]')).toHaveLength(1);
    expect(wishes('[{}, {}, {}]')).toHaveLength(1);
  });

  test('is met by nothing that is not known', () => {
    const bare: Facts = { ...facts, memory: {}, cpu: { flags: [] }, firmware: {} };
    const { expect: wanted } = read('slipway: {expect: {memory: ">= 1", architecture: x86_64}}\n').node ?? {};
    expect(wanted && unmetExpectations(wanted, bare)).toHaveLength(2);
  });

  test.each([
    ['{memory: lots}', /memory must be like ">= 16Gi"/],
    ['{cpus: 2Gi}', /cpus must be like ">= 2"/],
    ['{memory: "=> 16Gi"}', /memory must be like/],
    ['{gpu: 1}', /gpu is not known/],
    ['{disks: [{sise: 1}]}', /sise is not known/],
    ['{unmet: perhaps}', /unmet must be fail or warn/],
    ['[]', /slipway.expect must be a mapping/],
  ])('refuses %s', (text, wanted) => {
    expect(read(`slipway: {expect: ${text}}\n`).report[0]).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(wanted),
      where: { line: 2 },
    });
  });
});
