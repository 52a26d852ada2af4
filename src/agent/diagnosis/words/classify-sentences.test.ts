import { describe, expect, it } from 'vitest';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import { diagnoseLog } from '../diagnose-log.ts';
import { readLines } from '../transcript/read-lines.ts';

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';

const TRACE = [
  'k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow.(*Runner).Run.func1',
  '\tk8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow/runner.go:262',
  'main.main',
  '\tk8s.io/kubernetes/cmd/kubeadm/kubeadm.go:25',
  'runtime.goexit',
  '\truntime/asm_amd64.s:1700',
].join('\n');
const VERBOSE = [
  'I1121 02:56:42.697177    1372 join.go:395] [preflight] found NodeName empty; using OS hostname as NodeName',
  'I1121 02:56:42.730836    1372 token.go:215] [discovery] Retrying due to error: failed to request the cluster-info ConfigMap: dial tcp 10.0.0.9:6443: connect: connection refused',
].join('\n');
const AFTER = [
  '2026-11-21 02:36:11,123 - cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)',
  'Cloud-init v. 23.4 finished at Fri, 21 Nov 2026 02:36:11 +0000. Datasource DataSourceNoCloud. Up 141.53 seconds',
].join('\n');

const FORMS: [name: string, form: (text: string) => string][] = [
  ['plainly', (text) => `${text}\n\n${HINT}`],
  ['without its last line', (text) => text],
  ['in the middle of cloud-init', (text) => `${VERBOSE}\n${text}\n${HINT}\n${AFTER}`],
  ['with a stack trace, as from 1.34 on', (text) => `${VERBOSE}\n${asNew(text)}\n${TRACE}\n${AFTER}`],
];

/** From 1.34 on every error begins with that word; here the lines of progress before it stay as they are. */
function asNew(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^error execution phase/.test(line));
  return lines.map((line, index) => (index === first ? `error: ${line}` : line)).join('\n');
}

/** Errors before the first phase are known by the hint or by "error: " only. */
const isEarly = (text: string): boolean => !/error execution phase/.test(text);

describe.each(FORMS)('what kubeadm says, 1.20 to 1.36, %s', (name, form) => {
  const cases = readLogFixtures('kubeadm').filter(
    ({ text }) => name.startsWith('plainly') || name.includes('middle') || !isEarly(text),
  );
  it.each(cases)('$name', ({ code, cause, more, text }) => {
    const log = `+ kubeadm ${more[0]}\n${form(text.trimEnd())}\n`;
    const { failure, result } = diagnoseLog(readLines('log', log));
    expect(result).toBe('failed');
    expect(failure).toMatchObject({ code, cause: expect.stringContaining(cause) });
    expect(failure?.cause).toMatch(/[.…]$|; its last line is: /s);
  });
});

it('covers what fails on real machines', () => {
  const cases = readLogFixtures('kubeadm');
  expect(cases.length).toBeGreaterThanOrEqual(109);
  const versions = new Set(cases.map(({ more }) => more[1]));
  for (let minor = 20; minor <= 36; minor++) expect(versions).toContain(`1.${minor}`);
});
