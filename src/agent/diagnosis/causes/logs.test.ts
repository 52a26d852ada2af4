import { describe, expect, it } from 'vitest';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { NO_EVIDENCE } from '../evidence/evidence.ts';
import { parseJournal } from '../evidence/parse.ts';
import { readComponentLog } from './component-log.ts';
import { explainKubeletEnd, explainKubeletRun } from './explain-kubelet.ts';
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

describe("the container runtime's log", () => {
  it.each(readLogFixtures('runtime'))('$name', ({ code, cause, text }) => {
    expect(readRuntimeLog(messages(text))).toMatchObject({ code, cause: expect.stringContaining(cause) });
  });
});
