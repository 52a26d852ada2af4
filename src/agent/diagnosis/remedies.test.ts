/** What is advised for each cause of a code that has several: it helps in that case, and destroys nothing that may be needed. */
import { describe, expect, it } from 'vitest';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import { readComponentLog } from './causes/component-log.ts';
import { explainKubeletEnd, explainKubeletRun } from './causes/explain-kubelet.ts';
import { readRuntimeLog } from './causes/runtime-log.ts';
import { diagnoseLog } from './diagnose-log.ts';
import { NO_EVIDENCE } from './evidence/evidence.ts';
import { parseJournal } from './evidence/parse.ts';
import type { Diagnosis } from './patterns/pattern.ts';
import { readLines } from './transcript/read-lines.ts';

type Found = Pick<Diagnosis, 'code' | 'cause' | 'remedy'> | undefined;

const messages = (text: string): string[] => parseJournal(text).map((line) => line.text);

const ofKubeadm = (text: string, verb = 'join'): Found =>
  diagnoseLog(readLines('log', `+ kubeadm ${verb}\n${text.trimEnd()}\n`)).failure;

const READ: Record<string, (text: string, more: string[]) => Found> = {
  kubeadm: (text, [verb]) => ofKubeadm(text, verb),
  components: (text, [name = '']) => readComponentLog(name, text.trim().split('\n')),
  kubelet: (text) => explainKubeletEnd({ ...NO_EVIDENCE, kubeletLog: messages(text) }),
  'kubelet-running': (text, more) =>
    explainKubeletRun(more[2] as Code, { ...NO_EVIDENCE, kubeletLog: messages(text) }),
  runtime: (text) => readRuntimeLog(messages(text)),
};

const remedyOf = (found: Found): string | undefined => found && (found.remedy ?? codes()[found.code].remedy);

/** By the file of fixtures, the code and words of the cause. */
const ADVICE: [file: string, code: Code, cause: string, remedy: RegExp, never: RegExp][] = [
  [
    'kubeadm',
    'LeftoversFound',
    '/var/lib/etcd is not empty',
    /lost\+found.* only if no cluster needs/,
    /^Build/,
  ],
  ['kubeadm', 'LeftoversFound', 'kubelet.conf already exists', /is a node now, leave it/, /^Remove/],
  ['kubeadm', 'LeftoversFound', 'wrong CA cert', /move the file away/, /reset/],
  ['kubeadm', 'LeftoversFound', 'wrong API Server URL', /move the file away/, /reset/],
  ['kubeadm', 'NodeNameInUse', 'worker-1', /whose Node it is/, /^Delete/],
  [
    'kubeadm',
    'CertificatesMissing',
    'Of the certificate ca and its key',
    /only where a new cluster begins/,
    /or remove/,
  ],
  ['kubeadm', 'ApiServerUnavailable', 'broke off', /load balancer/, /nothing on this machine is wrong/],
  ['components', 'EtcdDataUnusable', 'permission denied', /owner and mode.*Remove nothing/, /reset|replace/],
  [
    'components',
    'EtcdDataUnusable',
    'already been bootstrapped',
    /mount the disk.*If they are lost/,
    /reset/,
  ],
  ['components', 'EtcdDataUnusable', 'cluster ID mismatch', /which of the two.*Only data/, /^Remove/],
  ['components', 'EtcdDataUnusable', 'database is damaged', /restore a snapshot/, /empty|reset/],
  [
    'components',
    'EtcdDataUnusable',
    'newer etcd',
    /only where the cluster has other control planes/,
    /or replace/,
  ],
];

describe('a remedy', () => {
  it.each(ADVICE)('%s: %s, %s', (file, code, cause, remedy, never) => {
    const [fixture, ...others] = readLogFixtures(file).filter(
      (one) => one.code === code && one.cause.includes(cause),
    );
    expect(others).toEqual([]);
    const found = READ[file]?.(fixture?.text ?? '', fixture?.more ?? []);
    expect(found?.code).toBe(code);
    expect(remedyOf(found)).toMatch(remedy);
    expect(remedyOf(found)).not.toMatch(never);
  });

  it('of the table that destroys something says in which case', () => {
    const destroys =
      /kubeadm reset|member remove|clear the TPM|delete[sd]? .*\bNode\b|remove its own member/i;
    const harmful = Object.entries(codes()).filter(
      ([, { remedy }]) => destroys.test(remedy) && !/\b(?:if|only|where|do not)\b/i.test(remedy),
    );
    expect(harmful.map(([code]) => code)).toEqual([]);
  });
});
