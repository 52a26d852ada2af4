import { describe, expect, it } from 'vitest';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { diagnoseLog } from '../diagnose-log.ts';
import { NO_EVIDENCE, type StaticPod } from '../evidence/evidence.ts';
import { parseJournal } from '../evidence/parse.ts';
import { readLines } from '../transcript/read-lines.ts';
import { readComponentLog } from './component-log.ts';
import { explainKubeletEnd, explainKubeletRun } from './explain-kubelet.ts';
import { explainStaticPods } from './explain-static-pods.ts';
import { readRuntimeLog } from './runtime-log.ts';

const messages = (text: string): string[] => parseJournal(text).map((line) => line.text);

describe('the log of a kubelet that ends', () => {
  it.each(readLogFixtures('kubelet'))('$name', ({ code, cause, text }) => {
    const found = explainKubeletEnd({ ...NO_EVIDENCE, kubeletLog: messages(text) });
    expect(found).toMatchObject({ code, cause: expect.stringContaining(cause) });
    expect(found?.cause).toMatch(/^[A-Z].*\.$/);
  });

  it('says nothing of a kubelet that runs', () => {
    const [first] = readLogFixtures('kubelet');
    const unit = {
      name: 'kubelet.service',
      load: 'loaded',
      active: 'active',
      sub: 'running',
      result: 'success',
    };
    const units = [{ ...unit, restarts: 1, exitStatus: 0 }];
    expect(
      explainKubeletEnd({ ...NO_EVIDENCE, units, kubeletLog: messages(first?.text ?? '') }),
    ).toBeUndefined();
  });

  it('forgets what the kubelet said before kubeadm wrote its configuration', () => {
    const before = readLogFixtures('kubelet').find(({ cause }) => cause.endsWith('config.yaml'));
    const kubeletLog = [
      ...messages(before?.text ?? ''),
      'I0110 10:01:00.000001    5000 server.go:484] "Kubelet version" kubeletVersion="v1.31.0"',
    ];
    expect(explainKubeletEnd({ ...NO_EVIDENCE, kubeletLog })).toBeUndefined();
  });
});

describe('the log of a kubelet that runs', () => {
  it.each(readLogFixtures('kubelet-running'))('$name', ({ code, cause, more, text }) => {
    const evidence = { ...NO_EVIDENCE, kubeletLog: messages(text) };
    const found = explainKubeletRun(more[2] as Code, evidence);
    expect(found).toMatchObject({ code, cause: expect.stringContaining(cause) });
    expect(explainKubeletEnd(evidence)).toBeUndefined();
  });
});

describe('a kubelet that refuses a static pod', () => {
  const WHY =
    'preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: ephemeral-storage, q: 104857600), ]';
  const sentence = (pod: string): string =>
    `Jan 10 10:00:01 n1 kubelet[42]: W0110 10:00:01.000001      42 predicate.go:113] Failed to admit pod ${pod}(0a1b2c) - Unexpected error while attempting to recover from admission failure: ${WHY}`;
  const fields = (pod: string): string =>
    `Jan 10 10:00:01 n1 kubelet[42]: I0110 10:00:01.000001      42 predicate.go:185] "Failed to admit pod, unexpected error while attempting to recover from admission failure" pod="${pod}" err="${WHY}"`;
  const explained = (line: string, staticPods: StaticPod[] = []) =>
    explainStaticPods({ ...NO_EVIDENCE, kubeletLog: messages(`${line}\n`), staticPods });
  const [restarts, log]: [number, string[]] = [4, ['connect: connection refused']];
  const ended = (name: string): StaticPod => ({ name, state: 'exited', exitCode: 1, restarts, log });

  it.each([sentence('etcd-cp-2.example_kube-system'), fields('kube-system/etcd-cp-2.example')])(
    'is told before the API server that ends without it: %s',
    (line) => {
      expect(explained(line, [ended('kube-apiserver')])).toMatchObject({
        code: 'ControlPlaneNotReady',
        cause: `The kubelet refuses the static pod etcd: ${WHY}.`,
        remedy: expect.stringContaining('systemctl restart kubelet'),
      });
    },
  );

  it('is of no account for a pod that runs or ran since, nor for any other pod', () => {
    const etcd = sentence('etcd-cp-2_kube-system');
    expect(explained(etcd, [{ name: 'etcd', state: 'running', restarts: 0, log: [] }])).toBeUndefined();
    expect(explained(etcd, [ended('etcd')])?.code).toBe('EtcdCrashing');
    for (const other of ['coredns-1_kube-system', 'etcd-1_shop', 'my-etcd-1_kube-system'])
      expect(explained(sentence(other))).toBeUndefined();
    expect(explained(fields('shop/etcd-1'))).toBeUndefined();
  });
});

describe('the log of a static pod', () => {
  it.each(readLogFixtures('components'))('$name', ({ code, cause, more, text }) => {
    const found = readComponentLog(more[0] ?? '', text.trim().split('\n'));
    expect(found).toMatchObject({ code, cause: expect.stringContaining(cause) });
  });

  it('says nothing of one that does its work', () => {
    expect(
      readComponentLog('etcd', ['{"level":"info","msg":"ready to serve client requests"}']),
    ).toBeUndefined();
  });
});

describe('a log without kubeadm', () => {
  it.each(readLogFixtures('others'))('$name', ({ code, cause, text }) => {
    const { failure, likely } = diagnoseLog(readLines('log', text));
    expect(failure?.code ?? '-').toBe(code);
    expect((failure ?? likely)?.cause).toContain(cause);
  });
});

describe("the container runtime's log", () => {
  it.each(readLogFixtures('runtime'))('$name', ({ code, cause, text }) => {
    expect(readRuntimeLog(messages(text))).toMatchObject({ code, cause: expect.stringContaining(cause) });
  });
});
