/** Excerpts that end where kubeadm waits for the kubelet, the control plane or the API server. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';

describe('what kubeadm found unhealthy, without the error that follows', () => {
  const HEALTHY = '[kubelet-check] The kubelet is healthy after 501.1ms';
  it.each([
    ['KubeletUnhealthy', ['[kubelet-check] The kubelet is not healthy after 4m0s', 'ERROR: no nodes found']],
    [
      'KubeletUnhealthy',
      ['[kubelet-check] The kubelet is not healthy after 4m0.1s', 'error execution phase kubelet-start'],
    ],
    ['ControlPlaneNotReady', [HEALTHY, '[api-check] The API server is not healthy after 4m0.1s']],
    [
      'ControlPlaneNotReady',
      [
        'I0719 23:09:20.299402  677329 certs.go:112] creating a new certificate authority for ca',
        HEALTHY,
        '[control-plane-check] kube-scheduler is not healthy after 4m0.1s',
        '[control-plane-check] kube-apiserver is not healthy after 4m0.1s',
        'A control plane component may have crashed or exited when started by the container runtime.',
      ],
    ],
  ])('is %s: %j', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });

  it('is explained by what the kubelet says of it', () => {
    expect(
      code(
        HEALTHY,
        '[control-plane-check] kube-apiserver is not healthy after 4m0.1s',
        'E0720 18:52:30.994969    9662 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to get sandbox image \\"r/pause:3.10\\": failed to pull image \\"r/pause:3.10\\": dial tcp 192.0.2.1:443: i/o timeout"',
      ),
    ).toBe('ImagePullFailed');
  });
});

it('the time for discovery may be over without a reason', () => {
  expect(code('failed to request the cluster-info ConfigMap: context deadline exceeded')).toBe(
    'ApiServerUnreachable',
  );
  expect(code('error downloading certs: cipher: message authentication failed')).toBe(
    'CertificateKeyInvalid',
  );
});

describe('an excerpt that ends while kubeadm finds nobody at the kubelet', () => {
  const WAITS = '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods';
  const NOBODY = `[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused.`;
  const WINDOWS = NOBODY.replace(
    'connect: connection refused',
    'connectex: No connection could be made because the target machine actively refused it',
  );

  it.each([
    ['as it is', [WAITS, NOBODY]],
    ['without anything else', [NOBODY]],
    ['on Windows', [WAITS, WINDOWS]],
    ['with a letter lost in copying', [WAITS, NOBODY.replace("' failed", "' ailed")]],
    ['broken behind the command', ['```', ...NOBODY.split(/(?<=healthz') /), '```']],
    ['cut behind it', [WAITS, NOBODY, "[kubelet-check] It seems like the kubelet isn't"]],
  ])('%s: it does not run', (_, lines) => {
    expect(verdict(...lines).failure).toMatchObject({
      code: 'KubeletUnhealthy',
      cause: expect.stringContaining('not running'),
    });
  });

  it('has no verdict where kubeadm may still wait, or went on', () => {
    expect(code('[preflight] Running pre-flight checks', WAITS, NOBODY)).toBe('unfinished');
    expect(
      code(WAITS, NOBODY, '[apiclient] All control plane components are healthy after 9.5 seconds'),
    ).toBe('unfinished');
  });
});

describe('an excerpt that ends while kubeadm asks for cluster-info', () => {
  const asked = (why: string) =>
    `I0503 04:05:06.000001      77 token.go:221] [discovery] Failed to request cluster-info, will try again: Get "https://10.1.2.3:6443/x": ${why}`;
  const REFUSED = asked('dial tcp 10.1.2.3:6443: connect: connection refused');

  it.each([
    ['ApiServerUnreachable', [REFUSED, REFUSED]],
    ['ApiServerCertificateInvalid', [asked('x509: certificate signed by unknown authority')]],
    [
      'ClusterInfoUnavailable',
      [
        '# Failed to request cluster info, will try again: [configmaps "cluster-info" is forbidden: User "system:anonymous" cannot get resource "configmaps"]',
      ],
    ],
    [
      'CaHashMismatch',
      [
        '[discovery] Failed to connect to API Server "10.1.2.3:6443": cluster CA is invalid: public key sha256:12 not pinned',
      ],
    ],
  ])('tells why it gets none: %s', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });

  it('has no verdict where it got it, nor where kubeadm may still ask', () => {
    expect(code(REFUSED, '[preflight] Reading configuration from the cluster...')).toBe('unfinished');
    expect(code('[preflight] Running pre-flight checks', REFUSED)).toBe('unfinished');
  });
});

it("kubeadm's sentence on the kubelet's health counts without its head", () => {
  expect(
    code(
      `The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.`,
    ),
  ).toBe('KubeletUnhealthy');
});

it("kubeadm's sentence on how long it waited for the kubelet counts without its head", () => {
  const { failure } = verdict(
    '```',
    'The kubelet is not healthy after 4m0.0007s',
    'This error is likely caused by:',
    '```',
  );
  expect(failure).toMatchObject({
    code: 'KubeletUnhealthy',
    cause: expect.stringContaining('after 4m0.0007s'),
  });
  const call = `The HTTP call equal to 'curl -sSL http://127.0.0.1:10248/healthz' returned error: ...`;
  expect(code('error:', call, '')).toBe('KubeletUnhealthy');
});

describe('a kubelet alone', () => {
  const says = (text: string): string => `Nov 21 02:34:29 n1 kubelet[7]: ${text}`;
  const expired = (text: string): string =>
    says(`E1121 02:34:29.000001       7 bootstrap.go:266] ${text} is expired: 2026-01-05 10:00:00 +0000 UTC`);
  const bootstrap = (rest: string): string =>
    says(
      `E1121 02:34:29.000002       7 run.go:74] "command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat ${rest}`,
    );
  const missing = bootstrap('/etc/kubernetes/bootstrap-kubelet.conf: no such file or directory"');

  it.each([
    [
      'CertificateInvalid',
      expired('part of the existing bootstrap client certificate in /etc/kubernetes/kubelet.conf'),
      missing,
    ],
    [
      'CertificateInvalid',
      expired('Part of the existing bootstrap client certificate'),
      bootstrap('/etc/kubern'),
    ],
    ['KubeletFileMissing', missing],
    ['KubeletFileMissing', bootstrap('/etc/kubernetes/bootstrap-kubele')],
  ])(
    'that finds no bootstrap kubeconfig does so where its certificate has expired, else by itself: %s',
    (wanted, ...lines) => {
      expect(code(...lines)).toBe(wanted);
    },
  );

  it('may have the heads of its lines taken off', () => {
    const watcher = 'E ... "Failed to start cAdvisor" err="inotify_init: too many open files"';
    expect(code(watcher, '[kubelet-check] The kubelet is not healthy after 4m0s')).toBe('KernelSettingWrong');
  });
});

it('a control plane does not come whose sandbox image the runtime says it cannot pull', () => {
  const runtime = (text: string): string =>
    `Nov 21 02:34:29 n1 containerd: time="2026-11-21T02:34:29Z" ${text}`;
  const pull = runtime(
    'level=error msg="PullImage \\"registry.k8s.io/pause:3.9\\" failed" error="failed to resolve reference: dial tcp 203.0.113.9:443: connect: connection refused"',
  );
  const made = runtime(
    'level=info msg="RunPodSandbox for &PodSandboxMetadata{Name:etcd-n1,} returns sandbox id \\"0a1b\\""',
  );
  const error = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
  expect(code(error, HINT, pull)).toBe('ImagePullFailed');
  expect(code(error, HINT, pull, made)).toBe('ControlPlaneNotReady');
  const sandbox = runtime(
    'level=error msg="RunPodSandbox for &PodSandboxMetadata{Name:etcd-n1,} failed, error" error="failed to get sandbox image \\"registry.k8s.io/pause:3.6\\": failed to do request: dial tcp 203.0.113.9:443: i/o timeout"',
  );
  expect(code(error, HINT, sandbox)).toBe('ImagePullFailed');
  expect(code(error, HINT, sandbox, made)).toBe('ControlPlaneNotReady');
});

it('a control plane does not come where the directory of volume plugins cannot be made', () => {
  const error = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
  const said =
    'MountVolume.SetUp failed for volume "flexvolume-dir" (UniqueName: "kubernetes.io/host-path/0a-flexvolume-dir") pod "kube-controller-manager-n1" (UID: "0a") : mkdir /usr/libexec/kubernetes: read-only file system';
  const kubelet = `Nov 21 02:34:29 n1 kubelet[9]: E1121 02:34:29.000001       9 nestedpendingoperations.go:348] Operation for "{volumeName:x}" failed. Error: ${said}`;
  expect(code(error, HINT, kubelet)).toBe('FileSystemReadOnly');
  expect(code('The init times out, and this is said:', said.replace(/ \(Uni.*\) :/, ':'))).toBe(
    'FileSystemReadOnly',
  );
  expect(code(error, HINT, kubelet.replace('flexvolume-dir"', 'my-data"'))).toBe('ControlPlaneNotReady');
});

it('a kubelet whose complaint is cut off before its reason did not register', () => {
  const head = 'kubelet_node_status.go:92] "Unable to register node with API server"';
  expect(code(`${head} err="Post \\"https://10.1.0>`)).toBe('NodeNotRegistered');
  expect(code(`E0608 16:18:55.158403     690 ${head} err="Post \\"https://10.1.0.4:6443/api/v1/no`)).toBe(
    'NodeNotRegistered',
  );
  expect(code('"Unable to register node with API server"')).toBe('nothing');
});
