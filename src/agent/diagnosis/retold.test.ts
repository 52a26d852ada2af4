/** What is left of an output when somebody tells of it: a sentence alone, a step again, an error that is cut off. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';
import { diagnoseLog } from './diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

describe('what is said of the control plane', () => {
  const PHASE =
    'error: error execution phase wait-control-plane: failed while waiting for the control plane to';
  const unhealthy = (name: string): string => `[control-plane-check] ${name} is not healthy after 4m0.1s`;

  it('names all that the checks named where the error is cut off', () => {
    const { failure } = verdict(unhealthy('kube-scheduler'), unhealthy('kube-apiserver'), `${PHASE} st`);
    expect(failure?.cause).toBe('kube-scheduler, kube-apiserver did not become healthy within 4m0.1s.');
  });

  it.each(['', ']', ', kube-apiserver check failed at https://10.0.0.7:6443/livez: EOF]'])(
    'gives the reason whole, whatever is behind it: %j',
    (behind) => {
      const why = 'Get "https://[::]:10259/livez": dial tcp [::]:10259: connect: connection refused';
      const { failure } = verdict(
        `${PHASE} start: [kube-scheduler check failed at https://[::]:10259/livez: ${why}${behind}`,
        HINT,
      );
      expect(failure?.cause).toContain(`did not become healthy in time (https://[::]:10259/livez: ${why}).`);
    },
  );
});

describe('a kubelet that ends', () => {
  const ends = (why: string): string =>
    `E0102 03:04:05.000001       7 run.go:74] "command failed" err="failed to ${why}"`;

  it('is not called kubeadm where it could not ask the runtime, nor its flags one flag', () => {
    const runtime = verdict(
      ends('run Kubelet: validate service connection: validate CRI v1 runtime API for >'),
    );
    expect(runtime.failure?.cause).toBe(
      'The kubelet exits because of the container runtime: it could not connect to the container runtime.',
    );
    const flags = verdict(ends('validate kubelet flags: the container runtime endpoint address was empty'));
    expect(flags.failure).toMatchObject({
      code: 'KubeletBadFlag',
      cause: 'The kubelet does not accept its flags: the container runtime endpoint address was empty.',
    });
  });

  it('or does not get its certificate: kubeadm says of neither for what it waited', () => {
    const { failure } = verdict(
      'Unfortunately, an error has occurred:',
      'context deadline exceeded',
      '',
      'error execution phase kubelet-start: context deadline exceeded',
      HINT,
    );
    expect(failure).toMatchObject({
      code: 'KubeadmTimedOut',
      cause: expect.stringContaining('the kubelet'),
    });
  });
});

it('a step that is quoted again behind the error is no attempt of its own', () => {
  const up = '[control-plane-check] kube-apiserver is healthy after 5.002s';
  const text = [
    up,
    'error: error execution phase upload-config/kubeadm: could not bootstrap the admin user in file admin.conf: unable to create ClusterRoleBinding: Post "https://10.0.0.9:6443/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?timeout=10s": context deadline exceeded',
    HINT,
    '',
    'It was up when I looked:',
  ];
  expect(code(...text, up)).toBe('ApiServerUnreachable');
  expect(code(...text, up.replace('5.002s', '9.1s'))).toBe('unfinished');
});

it('of many attempts the newest are explained by what others have written, too', () => {
  const run = ['[init] Using Kubernetes version: v1.30.0', '[kubelet-start] Starting the kubelet'];
  const failed = [
    ...run,
    "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster",
    HINT,
  ];
  const own = readLines('kubeadm.log', Array.from({ length: 200 }, () => failed.join('\n')).join('\n'));
  const swap =
    'Jan 02 03:04:05 n1 kubelet[7]: E0102 03:04:05.000001       7 run.go:74] "command failed" err="failed to run Kubelet: running with swap on is not supported"';
  const { failure, attempts } = diagnoseLog([...own, ...readLines('kubelet.log', swap)]);
  expect(failure?.code).toBe('SwapEnabled');
  expect(attempts).toHaveLength(200);
  expect([attempts[0]?.failure?.code, attempts[150]?.failure?.code]).toEqual([
    'ControlPlaneNotReady',
    'SwapEnabled',
  ]);
});

describe('a sentence that is quoted alone', () => {
  const SANDBOX = 'failed to get sandbox image "registry.k8s.io/pause:3.9"';

  it.each([
    ['CgroupsUnsuitable', 'kubelet is configured to not run on a host using cgroup v1.'],
    ['ImagePullFailed', `RunPodSandbox for "x" failed: ${SANDBOX}`],
    [
      'ImagePullFailed',
      `Failed to create sandbox for pod" err="rpc error: code = Unknown desc = ${SANDBOX}: ...`,
    ],
    ['ControlPlaneNotReady', 'error: failed while waiting for the control plane to start: ... EOF'],
    ['ControlPlaneNotReady', "Couldn't initialize a Kubernetes cluster"],
    ['TokenUnknown', 'could not find a JWS signature in the cluster-info ConfigMap'],
    ['NodeNameInUse', 'a Node with name "n1" and status "Ready" already exists in the cluster.'],
    [
      'CaHashMismatch',
      'cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:0a" are',
    ],
    ['NodeNotRegistered', 'error writing CRISocket for this node: nodes "n1" not found'],
    ['EtcdUnhealthy', 'etcd cluster is not healthy: failed to dial endpoint https://10.0.0.1:2379: EOF'],
    ['KubeletBadFlag', 'elet flag" err="unknown flag: --cgroupDriver"'],
  ])("is the kubelet's, the runtime's or kubeadm's: %s", (wanted, line) => {
    expect(code('We saw:', '```', line, '```')).toBe(wanted);
  });

  const V1 = 'kubelet is configured to not run on a host using cgroup v1';

  it.each([
    ['release notes', ['# Changes', '', `- ${V1} by default (failCgroupV1).`]],
    ['a condition', [`${V1} when failCgroupV1 is true`]],
    ['a question', [`${V1}? No, 1.34 runs.`]],
    ['another tool', ['failed while waiting for the control plane to start: 10.0.0.7']],
    ['another kubelet', ['microk8s: failed while waiting for the kubelet to start: snap is not active']],
    [
      'another distribution',
      ['We use k3s.', 'RunPodSandbox for "x" failed: failed to get sandbox image "r/pause:3.6"'],
    ],
    ['its image', ['RunPodSandbox for "x" failed: failed to get sandbox image "rancher/mirrored-pause:3.6"']],
    [
      'another command of kubeadm',
      [
        '$ kubeadm token create --print-join-command | sed "s/kubeadm join/x/"',
        'error execution phase preflight: whatever',
      ],
    ],
    [
      "an operator's record",
      [
        '{"level":"info","msg":"I1121 02:34:29.000001 71 op.go:1] [etcd] Promoting 5f","time":"now"}',
        String.raw`{"level":"info","msg":"{\"level\":\"warn\",\"caller\":\"v3/retry_interceptor.go:63\",\"error\":\"etcdserver: can only promote a learner\"}","time":"now"}`,
      ],
    ],
  ])('is not %s', (_, lines) => {
    expect(verdict(...lines).result).toBe('nothing');
  });

  it('says nothing where it may be of somebody who adds a member by hand, or of a pod', () => {
    expect(code('etcdserver: can only promote a learner member which is in sync with leader')).toBe(
      'nothing',
    );
    expect(code(`Warning  FailedCreatePodSandBox  2m  kubelet  Failed: ${SANDBOX}`)).toBe('nothing');
  });
});

it('of several runtimes all are named', () => {
  const said =
    "found multiple CRI endpoints on the host. Please define which one do you wish to use by setting the 'criSocket' field in the kubeadm configuration file: unix:///run/a.sock, unix:///run/b.sock**";
  expect(verdict(`**${said}`, `**${HINT}**`).failure?.cause).toBe(
    'There are several container runtimes on this machine: unix:///run/a.sock, unix:///run/b.sock.',
  );
});

it('a certificate is told with its names where somebody has written NOT in capitals, and on lines of its own', () => {
  const { failure } = verdict(
    "error execution phase preflight: couldn't validate the identity of the API Server:",
    'Get "https://k8s.example.org:6443/...":',
    'tls: failed to verify certificate: x509: certificate is valid for',
    'kubernetes, n1,',
    'NOT k8s.example.org',
  );
  expect(failure?.cause).toContain('not valid for k8s.example.org (only for kubernetes, n1)');
});

it('a learner that is promoted in vain is told where the last line is cut off', () => {
  const said = (words: string): string =>
    `I0102 03:04:05.000001   14300 etcd.go:584] [etcd] Promoting the learner c7f8df6b failed: etcdserver: ${words}`;
  const why = 'can only promote a learner member which is in sync with leader';
  const { result, likely } = verdict(said(why), said(why), said('can only pro'));
  expect([result, likely?.code]).toEqual(['unfinished', 'EtcdLearnerNotReady']);
});

it('a kubelet that waits for its configuration does so where the log is cut off within that reason, too', () => {
  const why =
    'failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: open /var/lib/kubelet/config.yaml: no such file or directory';
  const says = (pid: number, text: string): string =>
    `Jan 02 03:04:05 n1 kubelet[${pid}]: E0102 03:04:05.00000${pid}       ${pid} run.go:74] "command failed" err="${text}`;
  const ended =
    'Jan 02 03:04:06 n1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE';
  const started = 'Jan 02 03:04:16 n1 systemd[1]: Started kubelet: The Kubernetes Node Agent.';
  expect(code(says(7, `${why}"`), ended, started, says(8, why.slice(0, 60)))).toBe('KubeletFileMissing');
});

it('what a page has behind an error is no part of its reason', () => {
  const link = '<br />![image.png](https://cdn.example.org/a.png)';
  const { failure } = verdict(
    `error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: failed to get config map: Get "https://10.0.0.7:6443/api": dial tcp 10.0.0.7:6443: connect: no route to host${link}`,
  );
  expect(failure?.cause).toBe(
    'The API server at 10.0.0.7:6443 cannot be reached: no route to host (10.0.0.7:6443).',
  );
});

it('a table that explains messages accuses nobody', () => {
  const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
  const swap = row('`failed to run Kubelet: running with swap on is not supported`', 'swap', '`swapoff -a`');
  const other = row('`x509: certificate has expired`', 'time', '`kubeadm certs renew`');
  const head = [row('Message', 'Cause', 'Remedy'), row('---', '---', '---')];
  expect(code(...head, swap, other)).toBe('nothing');
  expect(code(...head, swap)).toBe('nothing');
});

it("the name of a node that is in use is told where the sentence's end is cut off", () => {
  const said = 'error execution phase kubelet-start: a Node with name "n1" and status "Ready" already exists';
  expect(code(`${said}, so we renamed it`)).toBe('NodeNameInUse');
});

describe("a phase's sentence without the phase", () => {
  it.each([
    ['EtcdUnhealthy', 'error syncing endpoints with etcd: context deadline exceeded'],
    [
      'ApiServerUnreachable',
      'error when creating kube-proxy service account: unable to create serviceaccount: client rate limiter Wait returned an error: context deadline exceeded',
    ],
    [
      'CertificateInvalid',
      'error creating PKI assets: failed to write or validate certificate "apiserver": certificate apiserver is invalid: x509: certificate is valid for cp-1, kubernetes, not cp-2',
    ],
    [
      'CertificateInvalid',
      '[certs] certificate apiserver not signed by CA certificate ca: x509: certificate signed by unknown authority',
    ],
    [
      'LeftoversFound',
      'a kubeconfig file "/etc/kubernetes/admin.conf" exists already but has got the wrong CA cert',
    ],
    [
      'DiskFull',
      "failure while saving ca certificate and key: couldn't write key: unable to write private key to file /etc/kubernetes/pki/ca.key: write /etc/kubernetes/pki/ca.key: no space left on device",
    ],
  ])('is known: %s', (expected, said) => {
    expect(code(said)).toBe(expected);
  });

  it.each([
    ['NodeNameInUse', 'a Node with name "n1" and status "Ready"'],
    ['ControlPlaneNotReady', 'could not initialize a Kubernetes cluster'],
  ])('without a reason is an error alone, and spoken of in a sentence: %s', (expected, said) => {
    expect(code(said)).toBe(expected);
    expect(code(`We tried again and got \`${said}\` once more.`)).toBe('nothing');
  });
});

it('what is wrapped at words is joined though an address is longer than its lines', () => {
  const url = '"https://10.20.30.40:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s":';
  expect(
    code(
      '[preflight] Running pre-flight checks',
      "error execution phase preflight: couldn't validate the identity of the API",
      'Server: Get',
      url,
      'dial tcp 10.20.30.40:6443: connect: connection refused',
      'To see the stack trace of this error execute with --v=5 or higher',
    ),
  ).toBe('ApiServerUnreachable');
});
