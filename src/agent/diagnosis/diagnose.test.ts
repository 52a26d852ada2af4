import { describe, expect, it, vi } from 'vitest';
import { readFixtures } from '../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { explain } from './diagnose.ts';
import { type Evidence, NO_EVIDENCE } from './evidence/evidence.ts';
import { parseJournal } from './evidence/parse.ts';
import type { Diagnosis } from './patterns/pattern.ts';
import { classify, type KubeadmFailure } from './words/classify.ts';

const rewording = vi.hoisted(() => ({ on: false }));
vi.mock(import('./causes/runtime-log.ts'), async (original) => {
  const { readRuntimeLog } = await original();
  const reworded = (found: Diagnosis | undefined) =>
    found && rewording.on ? { ...found, cause: 'Other words.' } : found;
  return { readRuntimeLog: (lines) => reworded(readRuntimeLog(lines)) };
});

const ENDPOINT = '10.0.0.9:6443';
const messages = (text: string): string[] => parseJournal(text).map((line) => line.text);
const MACHINES: Evidence[] = [
  { ...NO_EVIDENCE, apiServer: { endpoint: ENDPOINT, failedAt: 'tcp', problem: 'it refuses connections' } },
  { ...NO_EVIDENCE, apiServer: { endpoint: ENDPOINT, failedAt: 'tls', problem: 'EPROTO' } },
  { ...NO_EVIDENCE, apiServer: { endpoint: ENDPOINT, status: 503, clockAhead: 7200 } },
  {
    ...NO_EVIDENCE,
    listeners: [10250, 6443].map((port) => ({ port, program: 'kubelet (process 7)' })),
    apiServer: { endpoint: ENDPOINT, status: 200, clockAhead: 0, clusterInfo: { signedBy: ['abcdef'] } },
  },
  ...readLogFixtures('runtime').map(({ text }) => ({ ...NO_EVIDENCE, runtimeLog: messages(text) })),
  ...readLogFixtures('kubelet').map(({ text }) => ({ ...NO_EVIDENCE, kubeletLog: messages(text) })),
];

describe('no diagnosis rests on a sentence of our own', () => {
  it.each(readFixtures())('$name', (fixture) => {
    const base = classify(fixture);
    const reworded: KubeadmFailure = { ...base, cause: 'Other words.', remedy: 'Other advice.' };
    for (const evidence of MACHINES) {
      rewording.on = false;
      const { code, persistence } = explain(base, fixture, evidence);
      rewording.on = true;
      expect(explain(reworded, fixture, evidence)).toMatchObject({ code, persistence });
    }
  });
});

describe('evidence', () => {
  const certificate = readFixtures().find(({ name }) => name === 'join-1.31-csr.txt');
  const port =
    'error execution phase preflight: x\n\t[ERROR Port-10250]: Port 10250 is in use\n\t[ERROR Port-6443]: Port 6443 is in use';

  it('of an API server that is gone explains a certificate that did not come', () => {
    if (certificate === undefined) throw new Error('no such fixture');
    const [apiServerGone = NO_EVIDENCE] = MACHINES;
    expect(explain(classify(certificate), certificate, apiServerGone).code).toBe('ApiServerUnreachable');
  });

  it('of who listens names the program, and what else is wrong stays', () => {
    const end = {
      verb: 'join',
      stdout: '',
      stderr: port.replace('Swap', 'Port-6443'),
      exitStatus: 1,
    } as const;
    const evidence = { ...NO_EVIDENCE, listeners: [{ port: 10250, program: 'kubelet (process 7)' }] };
    expect(explain(classify(end), end, evidence).cause).toBe(
      'Port 10250 is in use by kubelet (process 7). Also: Port 6443 is in use.',
    );
  });
});
