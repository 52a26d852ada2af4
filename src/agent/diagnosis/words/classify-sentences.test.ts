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
const VERBOSE =
  'I1121 02:56:42.697177    1372 join.go:395] [preflight] found NodeName empty; using OS hostname as NodeName';
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

/** What a log that begins or ends within an error leaves of it, and what must not be made of that. */
it.each([
  [
    'ImagePullFailed',
    'Head "https://registry.k8s.io/v2/kube-apiserver/manifests/v1.30.2": dial tcp: lookup registry.k8s.io: no such host',
  ],
  [
    'ResourceNotFetched',
    'Get "https://dl.k8s.io/release/stable-1.txt": dial tcp: lookup dl.k8s.io on 10.0.0.2:53: no such host',
  ],
  [
    'ApiServerUnavailable',
    'Post "https://hook.example.svc:443/mutate?timeout=10s": dial tcp 10.97.1.8:443: connect: connection refused',
  ],
  [
    'ApiServerUnreachable',
    'Post "https://tenant-1.tenants.svc:6443/api/v1/namespaces": dial tcp 10.97.1.8:6443: connect: connection refused',
  ],
  [
    'CertificateInvalid',
    'certificate apiserver is invalid: x509: certificate is valid for kubernetes, n1, 10.96.0.1, not lb.example.com',
  ],
  [
    'PreflightFailed',
    "error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR KubeletVersion]: couldn't g",
  ],
  [
    'ContainerRuntimeDown',
    'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR ContainerRuntimeVersion]: could not c',
  ],
  [
    'ContainerRuntimeDown',
    'error execution phase kubelet-start: could not get the cgroup driver: rpc error: code = Unavailable desc = conn',
  ],
  ['PreflightFailed', 'failed to get runtime status: rpc error: code = Unknown desc = stream is damaged'],
  [
    'CaHashMismatch',
    "error execution phase preflight: couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: ",
  ],
  [
    'Unclassified',
    'nfig file /etc/kubernetes/admin.conf that already exists on disk: yaml: line 3: did not find expected key',
  ],
])('%s is said of %s', (code, text) => {
  const { failure } = diagnoseLog(
    readLines('log', `[preflight] Running pre-flight checks\n${text}\n${HINT}`),
  );
  expect(failure?.code).toBe(code);
});

it('reads the last of a list of lines that is cut at its front', () => {
  const item =
    'ap: configmaps \\"cluster-info\\" is forbidden: User \\"system:anonymous\\" cannot get resource \\"configmaps\\" in API group \\"\\"';
  const { failure } = diagnoseLog(readLines('log', `${item}", "${HINT}"], "stdout": "[preflight] Running"}`));
  expect(failure?.code).toBe('ClusterInfoUnavailable');
});

it('reads a list however often an error is quoted in it', () => {
  const text = `"stderr": "\\n ${'error execution phase x \\"'.repeat(40_000)}`;
  expect(diagnoseLog(readLines('log', text)).result).toBe('nothing');
});

it('covers what fails on real machines', () => {
  const cases = readLogFixtures('kubeadm');
  expect(cases.length).toBeGreaterThanOrEqual(109);
  const versions = new Set(cases.map(({ more }) => more[1]));
  for (let minor = 20; minor <= 36; minor++) expect(versions).toContain(`1.${minor}`);
});
