/** An error that only says that it took too long, and the reason that kubeadm logged before each new try. */
import { describe, expect, it } from 'vitest';
import { code, verdict } from '../../../test/support/logs/log-verdict.ts';

const ENDS = [
  'timed out waiting for the condition',
  'failed to request the cluster-info ConfigMap: client rate limiter Wait returned an error: context deadline exceeded',
  'failed to request the cluster-info ConfigMap: client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline',
  'failed to request the cluster-info ConfigMap: Get "https://10.7.0.1:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": context deadline exceeded',
];
const REASONS: [code: string, reason: string][] = [
  [
    'ClockWrong',
    'tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-09-05T11:02:01Z is before 2026-09-05T17:55:12Z',
  ],
  ['ApiServerNameUnresolved', 'dial tcp: lookup cp.example.org on 10.7.0.53:53: no such host'],
  [
    'ApiServerCertificateInvalid',
    'tls: failed to verify certificate: x509: certificate is valid for kubernetes, cp-1, not cp.example.org',
  ],
  ['ApiServerUnreachable', 'dial tcp 10.7.0.1:6443: connect: connection refused'],
  ['ApiServerUnreachable', 'Forbidden'],
];

describe.each(ENDS)('a discovery that ends with %s', (end) => {
  it.each(REASONS)('failed for %s: %s', (wanted, reason) => {
    const { failure } = verdict(
      '[preflight] Running pre-flight checks',
      `I0905 11:02:01.120000    1500 token.go:230] [discovery] Retrying due to error: failed to request the cluster-info ConfigMap: Get "https://cp.example.org:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": ${reason}`,
      `error: error execution phase preflight: couldn't validate the identity of the API Server: ${end}`,
      'To see the stack trace of this error execute with --v=5 or higher',
    );
    expect(failure?.code).toBe(wanted);
    expect(failure?.cause).not.toMatch(/in time/);
  });

  it('has no other reason where nothing was logged', () => {
    expect(
      code(
        '[preflight] Running pre-flight checks',
        `error: error execution phase preflight: couldn't validate the identity of the API Server: ${end}`,
      ),
    ).toBe('ApiServerUnreachable');
  });
});

describe('the promotion of a learner that is already promoted', () => {
  const refused = (words: string): string =>
    `I1003 10:00:11.000001    1500 etcd.go:562] [etcd] Promoting the learner 3b2f4c1d5e6a7089 failed: etcdserver: ${words}`;
  const NOT_YET = 'can only promote a learner member which is in sync with leader';
  const ALREADY = 'can only promote a learner member';
  const end =
    'error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file:';

  it.each([
    ['EtcdMemberNotAdded', [refused(NOT_YET), refused(ALREADY), `${end} context deadline exceeded`]],
    ['EtcdLearnerNotReady', [refused(NOT_YET), refused(NOT_YET), `${end} context deadline exceeded`]],
    ['EtcdMemberNotAdded', [`${end} etcdserver: ${ALREADY}`]],
    ['EtcdLearnerNotReady', [`${end} etcdserver: ${NOT_YET}`]],
  ])('is %s', (wanted, lines) => {
    const { failure } = verdict(
      '[etcd] Announced new etcd member joining to the existing etcd cluster',
      ...lines,
    );
    expect(failure?.code).toBe(wanted);
    // Nobody is sent to the network for a member that votes.
    if (wanted === 'EtcdMemberNotAdded') expect(failure?.remedy).not.toContain('2380');
  });

  it("is told by the etcd client's own line", () => {
    const client = (words: string): string =>
      `{"level":"warn","ts":"2026-10-03T10:00:11.000001Z","logger":"etcd-client","caller":"v3@v3.5.16/retry_interceptor.go:63","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0/10.7.0.1:2379","attempt":0,"error":"rpc error: code = FailedPrecondition desc = etcdserver: ${words}"}`;
    const told = (words: string): unknown =>
      verdict('[etcd] Waiting for the new etcd member', client(words), `${end} context deadline exceeded`)
        .failure?.code;
    expect(told(ALREADY)).toBe('EtcdMemberNotAdded');
    expect(told(NOT_YET)).toBe('EtcdLearnerNotReady');
  });
});

it('a join that waits for the etcd of this machine is explained by its kubelet, and blames no other member', () => {
  const waited =
    'error execution phase etcd-join: error creating local etcd static pod manifest file: the etcd member 3b2f4c1d5e6a7089 is not started';
  const swap =
    'Oct 03 10:00:11 cp2 kubelet[900]: E1003 10:00:11.000001     900 run.go:72] "command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"';
  expect(code(waited, swap)).toBe('SwapEnabled');
  const { failure } = verdict(waited);
  expect(failure?.remedy).not.toMatch(/remove/);
  expect(failure?.remedy).toContain('journalctl -u kubelet');
});

describe('a member of etcd that does not answer', () => {
  const STEP =
    'etcd.go:488] [etcd] attempting to see if all cluster endpoints ([https://10.0.0.2:2379]) are available 1/8';
  const FAILED =
    'etcd.go:468] Failed to get etcd status for https://10.0.0.2:2379: failed to dial endpoint https://10.0.0.2:2379 with maintenance client: context deadline exceeded';
  const klog = (text: string): string => `I0406 01:48:01.243224    1126 ${text}`;

  it('is what a join most likely fails of that is cut off there', () => {
    expect(verdict('[preflight] Running pre-flight checks', klog(STEP), klog(FAILED))).toMatchObject({
      result: 'unfinished',
      likely: { code: 'EtcdUnhealthy', cause: expect.stringContaining('https://10.0.0.2:2379') },
    });
  });

  it('is nothing to one that went on', () => {
    const log = verdict(
      '[preflight] Running pre-flight checks',
      '[check-etcd] Checking that the etcd cluster is healthy',
      klog(STEP),
      klog(FAILED),
      '[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"',
    );
    expect(log.likely).toBeUndefined();
  });
});
