import { describe, expect, it, vi } from 'vitest';
import { readFixtures } from '../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { evidenceFor, explain } from './diagnose.ts';
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

  it.each([
    [
      'ApiServerCertificateInvalid',
      'Get "https://10.0.0.9:6443/api/v1/nodes?timeout=10s": tls: failed to verify certificate: ',
    ],
    ['CertificateInvalid', ''],
  ])('of a clock that is right leaves the certificate: %s', (code, asked) => {
    const stderr = `error execution phase preflight: ${asked}x509: certificate has expired or is not yet valid: current time 2026-11-23T21:40:06Z is after 2025-01-01T00:00:00Z`;
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const seen = { ...NO_EVIDENCE, apiServer: { endpoint: ENDPOINT, status: 200, clockAhead: 0 } };
    expect(explain(classify(end), end, seen)).toMatchObject({
      code,
      cause: expect.stringContaining('the certificate itself'),
      remedy: expect.stringMatching(/check-expiration.*does not renew CAs/),
    });
  });

  it('of ends of a kubelet that cannot be run leaves what kubeadm said of it', () => {
    const stderr =
      "error: error execution phase preflight: x\n\t[ERROR KubeletVersion]: couldn't get kubelet version: cannot execute 'kubelet --version': exit status 2";
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const unit = { name: 'kubelet.service', load: 'loaded', active: 'activating', sub: 'auto-restart' };
    const units = [{ ...unit, result: 'exit-code', restarts: 11, exitStatus: 2 }];
    const seen = { ...NO_EVIDENCE, units };
    expect(explain(classify(end), end, seen)).toMatchObject({
      code: 'KubeletNotStarted',
      cause: expect.stringContaining("cannot execute 'kubelet --version': exit status 2"),
    });
  });

  it('of who listens names the program of each port', () => {
    const stderr = port.replace('[ERROR Swap]: ', '[ERROR Port-6443]: Port 6443 is in use\n\t[ERROR Swap]: ');
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const listeners = [
      { port: 10250, program: 'kubelet (process 7)' },
      { port: 6443, program: 'haproxy (process 9)' },
    ];
    expect(explain(classify(end), end, { ...NO_EVIDENCE, listeners }).cause).toContain(
      'Port 6443 is in use by haproxy (process 9).',
    );
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
      'Port 10250 is in use by kubelet (process 7). Port 6443 is in use.',
    );
  });

  const late = (
    verb: 'init' | 'join',
    wrote = '[control-plane] Creating static Pod manifest for "kube-apiserver"',
  ) => ({
    ...{ verb, exitStatus: 1, stdout: `${wrote}\n[kubelet-start] Starting the kubelet\n` },
    stderr:
      'error execution phase upload-config/kubeadm: Post "https://10.0.0.9:6443/api/v1/namespaces/kube-system/configmaps?timeout=10s": dial tcp 10.0.0.9:6443: connect: connection refused',
  });
  const ended = { state: 'exited', exitCode: 1, restarts: 2 };
  const noSpace = {
    ...ended,
    name: 'etcd',
    log: ['panic: write /var/lib/etcd/member/wal/0.wal: no space left on device'],
  };
  const withoutEtcd = { ...ended, name: 'kube-apiserver', log: ['Error: context deadline exceeded'] };

  it('of etcd explains an API server of this machine that is gone later', () => {
    const code = (end: ReturnType<typeof late>, ...staticPods: Evidence['staticPods']) =>
      explain(classify(end), end, { ...NO_EVIDENCE, staticPods }).code;
    expect(code(late('init'), withoutEtcd, noSpace)).toBe('DiskFull');
    expect(code(late('init'), withoutEtcd)).toBe('EtcdUnhealthy');
    expect(code(late('join'), noSpace)).toBe('DiskFull');
    // In a join it ends until etcd is there, and another one may be asked.
    expect(code(late('join'), withoutEtcd)).toBe('ApiServerUnreachable');
    // They run, and what does not answer is the address in front of them.
    const again = [{ ...noSpace, log: [] }, withoutEtcd].map((pod) => ({ ...pod, state: 'running' }));
    expect(code(late('init'), ...again)).toBe('ApiServerUnreachable');
    expect(code(late('join'), ...again)).toBe('ApiServerUnreachable');
    const manager = { ...ended, name: 'kube-controller-manager', log: ['leaderelection lost'] };
    expect(code(late('init'), manager)).toBe('ApiServerUnreachable');
    // A worker has none of them; these are of before.
    expect(code(late('join', ''), noSpace)).toBe('ApiServerUnreachable');
  });

  it('of who signs in the cluster does not say that a token is unknown, which may be kept from signing', () => {
    const stderr =
      'error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1, tokenId: 'abcdef' } as const;
    const cause = (...signedBy: string[]) =>
      explain(classify(end), end, {
        ...NO_EVIDENCE,
        apiServer: { endpoint: ENDPOINT, status: 200, clusterInfo: { signedBy } },
      }).cause;
    expect(classify(end).cause).toMatch(/was never created in the cluster, has expired, or may not sign\.$/);
    expect(cause('zzzzzz')).toMatch(/abcdef does not sign .* or may not sign \(its Secret has no usage-/);
    expect(cause()).toMatch(
      /abcdef does not sign cluster-info, and neither does any other token: .*usage-bootstrap-signing/,
    );
  });

  it('is chosen at once whatever kubeadm printed', () => {
    const stdout = `[preflight] Running pre-flight checks\n${'\n'.repeat(400_000)}end\n`;
    const end = { verb: 'init', stdout, stderr: 'error: something else', exitStatus: 1 } as const;
    expect(evidenceFor(classify(end), end)).toEqual([]);
  });

  it('of an API server that still looks for etcd explains why it did not come up', () => {
    const stderr =
      'error execution phase wait-control-plane: could not bootstrap the admin user in file admin.conf: unable to create ClusterRoleBinding: Post "https://10.0.0.9:6443/apis?timeout=10s": context deadline exceeded';
    const end = {
      verb: 'init',
      stdout: '[kubelet-start] Starting the kubelet\n',
      stderr,
      exitStatus: 1,
    } as const;
    const refused =
      'W0110 10:00:01.000001       1 logging.go:55] grpc: addrConn.createTransport failed to connect to {Addr: "127.0.0.1:2399", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:2399: connect: connection refused"';
    const look = (...log: string[]) =>
      explain(classify(end), end, {
        ...NO_EVIDENCE,
        staticPods: [{ name: 'kube-apiserver', state: 'running', restarts: 0, log }],
      }).code;
    expect(look(refused)).toBe('EtcdUnhealthy');
    // A collector of traces is no etcd.
    expect(look(refused.replaceAll('2399', '4317'))).toBe('ControlPlaneNotReady');
    expect(
      look(refused, 'I0110 10:00:02.000001       1 secure_serving.go:213] Serving securely on [::]:6443'),
    ).toBe('ControlPlaneNotReady');
  });

  it('of a kubelet that cannot have its health port names who has it', () => {
    const stderr =
      'error: error execution phase kubelet-wait-bootstrap: failed while waiting for the kubelet to start: The HTTP call equal to \'curl -sSL http://127.0.0.1:10248/healthz\' returned error: Get "http://127.0.0.1:10248/healthz": context deadline exceeded\n';
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const base = classify(end);
    expect(base.code).toBe('KubeletUnhealthy');
    expect(evidenceFor(base, end)).toContain('listeners');
    const kubeletLog = readLogFixtures('kubelet-running')
      .filter(({ cause }) => cause.includes(':10248'))
      .flatMap(({ text }) => messages(text));
    const listeners = [{ port: 10248, program: 'perl (process 220)' }];
    const told = 'The kubelet cannot serve its health endpoint at 127.0.0.1:10248: the port is in use.';
    expect(explain(base, end, { ...NO_EVIDENCE, kubeletLog })).toMatchObject({ cause: told });
    expect(explain(base, end, { ...NO_EVIDENCE, kubeletLog, listeners })).toMatchObject({
      code: 'PortInUse',
      persistence: 'permanent',
      cause: `${told} perl (process 220) listens there.`,
    });
  });

  it('of a kubelet whose Node is refused explains why it does not tell its health', () => {
    const stderr =
      'error execution phase kubelet-start: timed out waiting for the condition\n[kubelet-check] The HTTP call equal to \'curl -sSL http://localhost:10248/healthz\' failed with error: Get "http://localhost:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused.\n';
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const base = classify(end);
    expect(base.code).toBe('KubeletUnhealthy');
    const register = (why: string) => [
      `E1127 19:41:54.023303     640 kubelet_node_status.go:93] Unable to register node "n1" with API server: ${why}`,
      'E1127 19:41:55.141602     640 csi_plugin.go:293] Failed to initialize CSINode: error updating CSINode annotation: timed out waiting for the condition; caused by: nodes "n1" not found',
    ];
    const told = (why: string, ...later: string[]) =>
      explain(base, end, { ...NO_EVIDENCE, kubeletLog: [...register(why), ...later] });
    const hook =
      'Internal error occurred: failed calling webhook "owned.example": Post "https://10.0.0.99:9443/check?timeout=2s": dial tcp 10.0.0.99:9443: connect: no route to host';
    expect(told(hook)).toMatchObject({
      code: 'ApiServerUnavailable',
      cause: expect.stringMatching(/failed calling webhook owned\.example: .*no route to host\.$/),
    });
    // It has passed.
    const registered =
      'I1127 19:42:54.023303     640 kubelet_node_status.go:74] Successfully registered node n1';
    expect(told(hook, registered).code).toBe('KubeletUnhealthy');
    // An API server that does not answer may be what follows from the kubelet.
    expect(
      told('Post "https://10.0.0.9:6443/api/v1/nodes": dial tcp 10.0.0.9:6443: connect: refused').code,
    ).toBe('KubeletUnhealthy');
  });

  it('of an API server that tells what fails explains why it is silent', () => {
    const stderr =
      'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://10.0.0.9:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": net/http: request canceled (Client.Timeout exceeded while awaiting headers)';
    const end = { verb: 'join', stdout: '', stderr, exitStatus: 1 } as const;
    const apiServer = {
      endpoint: ENDPOINT,
      failedAt: 'tcp',
      isSilent: true,
      problem: 'it does not answer',
    } as const;
    const look = (failing?: string[]) =>
      explain(classify(end), end, {
        ...NO_EVIDENCE,
        apiServer: { ...apiServer, ...(failing && { failing }) },
      });
    expect(look()).toMatchObject({ code: 'ApiServerUnreachable' });
    expect(look(['informer-sync'])).toMatchObject({ code: 'ApiServerUnreachable' });
    const mute = { ...NO_EVIDENCE, apiServer: { ...apiServer, failedAt: 'mute' } as const };
    expect(explain(classify(end), end, mute)).toMatchObject({
      code: 'ApiServerUnavailable',
      cause: `The API server at ${ENDPOINT} accepts connections but never answers the TLS handshake.`,
      remedy: expect.stringContaining('MTU'),
    });
    expect(look(['etcd', 'etcd-readiness'])).toMatchObject({
      code: 'EtcdUnhealthy',
      cause: `The server at ${ENDPOINT} reports that it is not ready because these checks fail: etcd, etcd-readiness. It had not yet proved to be the API server.`,
    });
  });
});
