/** What people cut out of a kubelet's journal, beside kubeadm's output or alone. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';
import { kubeletLastWords } from './causes/kubelet-start.ts';

describe('a kubelet', () => {
  const refused =
    '[kubelet-check] The HTTP call equal to \'curl -sSL http://localhost:10248/healthz\' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.';
  const prefix = 'Nov 21 02:34:29 n1';
  const unregistered = `${prefix} kubelet[7]: E1121 02:34:29.000001       7 kubelet_node_status.go:92] Unable to register node "n1" with API server: Post https://10.1.1.10:6443/api/v1/nodes: dial tcp 10.1.1.10:6443: connect: no route to host`;

  it('that refuses one call does not run', () => {
    const error = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
    expect(verdict(refused, error).failure).toMatchObject({ code: 'KubeletUnhealthy' });
    expect(verdict(error).failure).toMatchObject({ code: 'ControlPlaneNotReady' });
    expect(verdict(error).failure?.cause).not.toMatch(/kubelet (?:runs|is running)/);
  });

  it('tells the way to the API server that kubeadm could not tell', () => {
    const error =
      'error execution phase kubelet-start: error uploading crisocket: timed out waiting for the condition';
    expect(code('[kubelet-start] Starting the kubelet', error, HINT)).toBe('NodeNotRegistered');
    expect(code('[kubelet-start] Starting the kubelet', error, HINT, unregistered)).toBe(
      'ApiServerUnreachable',
    );
  });

  it('alone is diagnosed by what it says, not by what it said before it came up', () => {
    expect(code(unregistered, unregistered, unregistered)).toBe('ApiServerUnreachable');
    const registered = `${prefix} kubelet[7]: I1121 02:34:31.000001       7 kubelet_node_status.go:75] "Successfully registered node" node="n1"`;
    expect(code(unregistered, unregistered, unregistered, registered)).toBe('nothing');
    expect(
      code(`${prefix} systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE`),
    ).toBe('nothing');
  });

  it('ends without a certificate for the reason why it gets none', () => {
    const ends = (why: string): string =>
      code(
        `${prefix} kubelet[7]: E1121 02:34:29.000001       7 run.go:74] "command failed" err="failed to run Kubelet: cannot create certificate signing request: ${why}"`,
        `${prefix} systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE`,
      );
    expect(ends('Unauthorized')).toBe('CredentialsRejected');
    expect(ends('Post \\"https://cp:6443/x\\": dial tcp 10.1.1.10:6443: connect: no route to host')).toBe(
      'ApiServerUnreachable',
    );
  });

  it('may say by itself why it ends, as a command line does', () => {
    expect(code('```', 'Error: failed to run Kubelet: running with swap on is not supported', '```')).toBe(
      'SwapEnabled',
    );
  });

  it('that waits for its configuration explains no script that somebody shows beside it', () => {
    const waits = `${prefix} kubelet[7]: E1121 02:34:29.000001       7 run.go:74] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: open /var/lib/kubelet/config.yaml: no such file or directory"`;
    const script = ['while ! false; do', 'x="$1"', 'done', 'if [ -z "$x" ]; then', 'fi'];
    const shown = script.map((text) => `${prefix} notes[9]: ${text}`);
    expect(code(waits)).toBe('KubeletFileMissing');
    expect(code(waits, ...shown)).toBe('nothing');
  });

  it('that may not ask for a certificate ends', () => {
    const line = `${prefix} kubelet[7]: F1121 02:34:29.000001       7 server.go:233] failed to run Kubelet: cannot create certificate signing request: certificatesigningrequests.certificates.k8s.io is forbidden: User "system:bootstrap:abcdef" cannot create`;
    expect(code(line)).toBe('PermissionDenied');
  });

  it('that systemd could not start is not there', () => {
    const line = `${prefix} systemd[1]: kubelet.service: Main process exited, code=exited, status=203/EXEC`;
    expect(code(line)).toBe('KubeletNotStarted');
  });

  it('that ended before the attempt began explains nothing', () => {
    const ended = [
      'Nov 21 02:10:00 n1 kubelet[7]: E1121 02:10:00.000001       7 run.go:74] "command failed" err="failed to parse kubelet flag: unknown flag: --old"',
      'Nov 21 02:10:00 n1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE',
    ];
    const attempt = [
      '[preflight] Running pre-flight checks',
      '[kubelet-start] Starting the kubelet',
      refused,
      'error execution phase kubelet-start: timed out waiting for the condition',
      HINT,
    ].map((line) => `${prefix} cloud-init[9]: ${line}`);
    expect(code(...ended, ...attempt)).toBe('KubeletUnhealthy');
    const later = ended.map((line) => line.replaceAll('02:10:00', '02:34:30'));
    expect(code(...attempt, ...later)).toBe('KubeletBadFlag');
  });
});

describe('a kubelet that waits for its configuration', () => {
  const WAITS =
    'Nov 21 02:35:01 n1 kubelet[6]: E1121 02:35:01.000001       6 run.go:74] "command failed" err="failed to load kubelet config file, error: open /var/lib/kubelet/config.yaml: no such file or directory"';

  it('is a reason where its journal is all there is, and none among others', () => {
    expect(code(WAITS)).toBe('KubeletFileMissing');
    expect(code('Nov 21 02:35:01 n1 sshd[9]: a', WAITS, 'Nov 21 02:35:02 n1 sshd[9]: b')).toBe('nothing');
  });
});

it('its line counts where somebody has put it in quotation marks, indented', () => {
  const line =
    'Apr 18 07:26:58 n1 kubelet[34761]: E0418 07:26:58.656108   34761 kubelet_node_status.go:96] "Unable to register node with API server" err="Post \\"https://n.example:443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate signed by unknown authority" node="n1"';
  for (const text of [line, ` "${line}"`])
    expect(verdict('I am getting this error', text, 'Any ideas?').failure?.code).toBe(
      'ApiServerCertificateInvalid',
    );
});

it('a kubelet that kubeadm does not reach is lost when it ended once for what does not pass', () => {
  const [check, end] = [
    `[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.`,
    'Apr  7 09:45:26 n1 kubelet: E0407 09:45:26.086446   94649 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
  ];
  expect(code(check, end)).toBe('CgroupDriverMismatch');
  expect(code('[kubelet-check] Initial timeout of 40s passed.', end)).toBe('unfinished');
  const [, said = ''] = /misconfiguration: (.*)/.exec(end ?? '') ?? [];
  expect(code(check, 'Its log has:', said)).toBe('CgroupDriverMismatch');
});

it("a kubelet's configuration is unreadable whatever is put around the reason", () => {
  const lines = [
    'Nov 21 02:34:29 n1 kubelet[7]: E1121 02:34:29.000001       7 run.go:74] "command failed" err="failed to load kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file \\"/var/lib/kubelet/config.yaml\\", error: yaml: line 9: did not find expected key"',
  ];
  expect(code(...lines)).toBe('KubeletConfigInvalid');
});

describe('sentences of the kubelet without a head', () => {
  const refused = 'Post "https://192.0.2.1:6443/api/v1/nodes": ';
  it.each([
    [
      'CgroupDriverMismatch',
      [
        '  "Failed to run kubelet" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"cgroupfs\\" is different from docker cgroup driver: \\"systemd\\""',
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        '  error: failed to run Kubelet: failed to create kubelet: ',
        '  misconfiguration: kubelet cgroup driver: "systemd" is different from docker cgroup driver: "cgroupfs"',
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        'Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        '<b>*Apr 7 09:45:26 n1 kubelet[7]: E0407 09:45:26.086446       7 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: misconfiguration: ',
        'kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
        'and so on*</b>',
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        'This error is likely caused by:',
        '\t- The kubelet is not running',
        'Additionally, a control plane component may have crashed or exited when started by the container runtime.',
        '',
        'Failed to run kubelet" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
      ],
    ],
    [
      'KubeletFileMissing',
      [
        '# F1127 09:00:16.566510   27284 server.go:262] failed to run Kubelet:',
        '# unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory',
      ],
    ],
    [
      'KubeletFileMissing',
      [
        ' n1 kubelet[53]: E0613 13:21:25.992025      53 run.go:74] "command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory"',
      ],
    ],
    [
      'KubeletConfigInvalid',
      [
        'failed to validate kubelet configuration, error:',
        '  [invalid configuration: FeatureGate Moon not enabled,',
        '   invalid configuration: tides must not be set]',
      ],
    ],
    [
      'ApiServerUnreachable',
      [
        `Unable to register node with API server: ${refused}proxyconnect tcp: dial tcp 127.0.0.1:3128: connection refused`,
      ],
    ],
    [
      'ApiServerUnavailable',
      [
        `"Unable to register node with API server" err="${refused.replaceAll('"', '\\"')}read tcp 192.0.2.2:34188->192.0.2.1:6443: read: connection reset by peer" node="n1"`,
      ],
    ],
    [
      'ApiServerCertificateInvalid',
      [
        `Unable to register node with API server: ${refused}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ],
    ],
  ])('are %s: %j', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });

  it('are not those of a component, which is process 1 of its container', () => {
    const line = (pid: string) =>
      `E0805 12:41:02.221001 ${pid} run.go:74] "command failed" err="unknown flag: --moon"`;
    expect(code(line('      1'))).toBe('nothing');
    expect(code(line('   4711'))).toBe('KubeletBadFlag');
  });
});

it("an image of somebody's pod does not explain a control plane", () => {
  const error = [
    '[kubelet-start] Starting the kubelet',
    "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster",
    HINT,
  ];
  const pull = (image: string) =>
    `Nov 21 02:34:29 n1 kubelet[7]: E1121 02:34:29.000001       7 remote_image.go:180] "PullImage from image service failed" err="rpc error: code = NotFound desc = failed to pull and unpack image: not found" image="${image}"`;
  expect(code(...error, pull('registry.example/orders:1'))).toBe('ControlPlaneNotReady');
  expect(code(...error, pull('registry.k8s.io/kube-apiserver:v1.99.0'))).toBe('ImageNotFound');
});

it('ends of a kubelet that waits for its configuration have no other reason', () => {
  const at = 'Nov 21 02:35:01 n1';
  const waits = `${at} kubelet[6]: E1121 02:35:01.000001       6 run.go:74] "command failed" err="failed to load kubelet config file, error: open /var/lib/kubelet/config.yaml: no such file or directory"`;
  const end = `${at} systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE`;
  const others = Array.from({ length: 9 }, () => `${at} sshd[9]: Connection closed`);
  expect(code(...others, waits, end, end, end)).toBe('nothing');
});

describe('the last words of a kubelet', () => {
  const MISSING =
    'unable to load bootstrap kubeconfig: stat /etc/kubernetes/b.conf: no such file or directory';

  it.each([
    ['without their head', 'KubeletFileMissing', `"command failed" err="failed to run Kubelet: ${MISSING}"`],
    [
      'behind the place in its source alone',
      'KubeletFileMissing',
      `server.go:273] failed to run Kubelet: ${MISSING}`,
    ],
    [
      'with the gaps of a wider window',
      'KubeletFileMissing',
      `5月 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 run.go:74] "command failed" err="failed to run Kubelet: ${MISSING.replace('to load', `${' '.repeat(24)}to load`)}"`,
    ],
    [
      'in a comment of a program',
      'CgroupDriverMismatch',
      `\t// kubelet[77]: E0503 04:05:06.000001      77 run.go:74] "command failed" err="failed to run Kubelet: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""`,
    ],
  ])('count %s', (_, wanted, line) => {
    expect(code('It does not start:', line, 'container_runtime: "containerd"')).toBe(wanted);
  });

  it('go on behind a quotation in them', () => {
    const line =
      'E0503 04:05:06.000001      77 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: rpc error: desc = \\"transport: no such thing\\" and more"';
    expect(kubeletLastWords([line])).toContain('and more');
  });

  it('may be cut by journalctl, at the end of a line or of the excerpt', () => {
    const ended =
      'May 03 04:05:06 n1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE';
    const words =
      'May 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 run.go:74] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file';
    const path = String.raw`\"/var/lib/kubelet/config.yaml\", error: open /var/lib/kubelet/config.yaml: no such file or directory"`;
    expect(code(ended, `${words} ${path.slice(0, 62)}>`, ended)).toBe('KubeletFileMissing');
    expect(code(ended, `${words} ${path}`, 'May 03 04:0')).toBe('KubeletFileMissing');
  });
});

it("a kubelet's own journal tells more than a program that repeats an error", () => {
  const at = 'May 03 04:05:06 n1';
  expect(
    code(
      `${at} deploy[60]: error execution phase kubelet-start: a Node with name "n2" and status "Ready" already exists in the cluster`,
      `${at} kubelet[77]: E0503 04:05:06.000001      77 run.go:74] "command failed" err="failed to run Kubelet: running with swap on is not supported"`,
      `${at} systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE`,
    ),
  ).toBe('SwapEnabled');
});

describe('a kubelet without a sandbox image', () => {
  const failed = (text: string) =>
    `May 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 kuberuntime_sandbox.go:72] "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = ${text}`;

  it('can start no pod, and its Node cannot be registered for that', () => {
    const { failure } = verdict(
      failed(
        String.raw`failed to get sandbox image \"r.example/pause:3.9\": failed to do request: dial tcp: lookup r.example: no such host"`,
      ),
      'May 03 04:05:07 n1 kubelet[77]: E0503 04:05:07.000001      77 kubelet_node_status.go:92] "Unable to register node with API server" err="Post \\"https://10.1.2.3:6443/api/v1/nodes\\": dial tcp 10.1.2.3:6443: connect: connection refused"',
    );
    expect(failure).toMatchObject({ code: 'ImagePullFailed', cause: expect.stringContaining('pause:3.9') });
  });

  it.each(['failed to get sandbox image', 'failed pulling image'])(
    'says so also where a pod that is not synced quotes it: %s',
    (what) => {
      const quoted = String.raw`rpc error: code = Unknown desc = ${what} \\\"r.example/pause:3.9\\\": Error response from daemon: dial tcp: lookup r.example: no such host`;
      const { failure } = verdict(
        String.raw`May 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 pod_workers.go:951] "Error syncing pod, skipping" err="failed to \"CreatePodSandbox\" for \"kube-apiserver-n1_kube-system(fa1)\" with CreatePodSandboxError: \"Failed to create sandbox for pod \\\"kube-apiserver-n1_kube-system(fa1)\\\": ${quoted}\"" pod="kube-system/kube-apiserver-n1"`,
      );
      expect(failure).toMatchObject({ code: 'ImagePullFailed', cause: expect.stringContaining('pause:3.9') });
    },
  );

  it('does not say why where its lines are cut', () => {
    expect(verdict(failed(String.raw`failed to get sandbox image \"r.exam`)).failure).toMatchObject({
      code: 'ImagePullFailed',
      cause: expect.stringContaining('cut off'),
    });
  });
});

it('a kubelet that may not ask for a certificate waits in vain', () => {
  expect(
    code(
      'May 03 04:05:06 n1 kubelet: E0503 04:05:06.000001      77 certificate_manager.go:434] Failed while requesting a signed certificate from the master: cannot create certificate signing request: certificatesigningrequests.certificates.k8s.io is forbidden: User "system:anonymous" cannot create resource "certificatesigningrequests" in API group "certificates.k8s.io" at the cluster scope',
    ),
  ).toBe('PermissionDenied');
});

describe('a Node that the API server does not take', () => {
  const says = (why: string) =>
    verdict(
      `Nov 23 14:29:01 n1 kubelet[238]: E1123 14:29:01.783562     238 kubelet_node_status.go:109] "Unable to register node with API server" err="${why}" node="n1"`,
    ).failure;

  it('is refused by a webhook that fails, which is not the API server', () => {
    const post =
      'Post \\"https://10.99.0.1:9/validate?timeout=3s\\": dial tcp 10.99.0.1:9: connect: connection refused';
    const why = `Internal error occurred: failed calling webhook \\"nodes.policy.example\\": failed to call webhook: ${post}`;
    expect(says(why)).toMatchObject({
      code: 'ApiServerUnavailable',
      cause: expect.stringMatching(/failed calling webhook nodes\.policy\.example: .*connection refused\.$/),
    });
  });

  it('is refused to nobody: a kubelet without a certificate lacks that', () => {
    const why = `nodes \\"n1\\" is forbidden: User \\"system:anonymous\\" cannot get resource \\"nodes\\" in API group \\"\\" at the cluster scope`;
    expect(says(why)).toMatchObject({
      code: 'KubeletCertificateNotIssued',
      cause: expect.stringContaining('without a certificate (system:anonymous)'),
    });
    const refused =
      'Nov 23 14:29:00 n1 kubelet[238]: E1123 14:29:00.783562     238 certificate_manager.go:562] "Failed while requesting a signed certificate from the control plane" err="cannot create certificate signing request: Unauthorized"';
    const asks = `Nov 23 14:29:01 n1 kubelet[238]: E1123 14:29:01.783562     238 kubelet_node_status.go:109] "Unable to register node with API server" err="${why}" node="n1"`;
    expect(code(refused, asks)).toBe('CredentialsRejected');
  });

  it('is refused by a policy, which is named', () => {
    const why = `nodes \\"n1\\" is forbidden: ValidatingAdmissionPolicy 'owned' with binding 'owned' denied request: nodes need an owner`;
    expect(says(why)).toMatchObject({
      code: 'PermissionDenied',
      cause: `The API server refuses the Node n1: ValidatingAdmissionPolicy 'owned' with binding 'owned' denied request: nodes need an owner.`,
    });
  });
});

it.each([
  [
    'failed to merge kubelet configs: failed to unmarshal merged JSON into kubelet configuration: json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32',
    /its drop-in files.* json: cannot unmarshal string .*maxPods/,
  ],
  [
    'failed to run Kubelet: invalid Node Allocatable configuration. Resource \\"memory\\" has a reservation of {{10736344498176 0} {<nil>} BinarySI} but capacity of {{25276510208 0} {<nil>} BinarySI}. Expected capacity >= reservation',
    /reserves more memory .* than the machine has/,
  ],
])('a kubelet does not accept its configuration: %s', (why, cause) => {
  expect(
    verdict(
      `Nov 23 14:29:01 n1 kubelet[238]: E1123 14:29:01.783562     238 run.go:72] "command failed" err="${why}"`,
    ).failure,
  ).toMatchObject({ code: 'KubeletConfigInvalid', cause: expect.stringMatching(cause) });
});

it.each([
  '\t[WARNING Service-kubelet]: kubelet service does not exist',
  "[kubelet-start] Couldn't detect a kubelet service, can't make sure the kubelet is running properly.",
])('a kubelet that nothing answers for was not started where kubeadm found no service: %s', (said) => {
  const told = (end: string) =>
    verdict(
      ...['[preflight] Running pre-flight checks', said, '[kubelet-start] Starting the kubelet'],
      `error: error execution phase kubelet-wait-bootstrap: failed while waiting for the kubelet to start: The HTTP call equal to 'curl -sSL http://127.0.0.1:10248/healthz' returned error: Get "http://127.0.0.1:10248/healthz": ${end}`,
      HINT,
    ).failure;
  expect(told('dial tcp 127.0.0.1:10248: connect: connection refused')).toMatchObject({
    code: 'KubeletNotStarted',
    cause: 'The kubelet is not running: kubeadm found no kubelet service.',
  });
  // Something runs there all the same.
  expect(told('context deadline exceeded')).toMatchObject({ code: 'KubeletUnhealthy' });
});

describe('a kubelet whose container manager does not start', () => {
  const WHY = 'failed to find subsystem mount for required subsystem: pids';

  it.each([
    [
      `kubelet.go:1380] Failed to start ContainerManager failed to initialize top level QOS containers: ${WHY}`,
    ],
    [`E... kubelet.go:1567] "Failed to start ContainerManager" err="${WHY}"`],
    [
      `    May 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 kubelet.go:1431] "Failed to start ContainerManager" err="${WHY}"`,
    ],
  ])('ends: %s', (line) => {
    expect(code(line)).toBe('CgroupsUnsuitable');
  });

  it('is that of k3s where only the sentence is there', () => {
    expect(code('ERROR Failed to start ContainerManager: failed to get rootfs info')).toBe('nothing');
  });
});

it('a reason that journalctl cut off is not told as a whole', () => {
  const { failure } = verdict(
    'error execution phase wait-control-plane: could not initialize a Kubernetes cluster',
    HINT,
    'May 03 04:05:06 n1 kubelet[77]: E0503 04:05:06.000001      77 log.go:32] "RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = failed to cre>',
  );
  expect(failure).toMatchObject({
    code: 'ContainerNotStarted',
    cause: expect.stringMatching(/failed to cre…\.?$/),
  });
});

it('a pod whose reason journalctl cut off explains nothing', () => {
  expect(
    code(
      '[api-check] The API server is not healthy after 4m0.0001s',
      'error execution phase wait-control-plane: could not initialize a Kubernetes cluster',
      HINT,
      'Sep 09 02:58:28 n1 kubelet[4658]: E0909 02:58:28.809511    4658 log.go:32] "RunPodSandbox from runtime service failed" err="rpc error: code = U>',
    ),
  ).toBe('ControlPlaneNotReady');
});

it('a kubelet that another distribution starts is not that of kubeadm', () => {
  const kubelet =
    'E1123 05:07:38.580162    1234 kubelet.go:1511] "Failed to start ContainerManager" err="no rootfs info"';
  expect(code(kubelet)).toBe('KubeletCrashing');
  expect(code('$ k3s server --docker', kubelet)).toBe('nothing');
});

it('a kubelet within a user namespace that may not read /dev/kmsg ends, whatever it says behind that', () => {
  const said = (how: string): string =>
    `Nov 21 12:24:51 n1 kubelet[180]: E1121 12:24:51.323604     180 kubelet.go:498] "Failed to create an oomWatcher (running in UserNS, ${how}" err="open /dev/kmsg: operation not permitted"`;
  const waited = [
    '[kubelet-start] Starting the kubelet',
    '[kubelet-check] The kubelet is not healthy after 4m0.000208828s',
    'Unfortunately, an error has occurred:',
    '\tThe HTTP call equal to \'curl -sSL http://127.0.0.1:10248/healthz\' returned error: Get "http://127.0.0.1:10248/healthz": context deadline exceeded',
  ];
  expect(code(...waited, said('Hint: enable KubeletInUserNamespace feature flag to ignore the error)'))).toBe(
    'KubeletFileMissing',
  );
  expect(code(...waited, said('ignoring)'))).toBe('KubeletUnhealthy');
});

describe('a few words of a kubelet, without its name', () => {
  it.each([
    [
      'ImagePullFailed',
      'RunPodSandbox from runtime service failed" err="rpc error: code = DeadlineExceeded desc = failed to get sandbox image \\"k8s.gcr.io/pause:3.6\\": failed to pull image \\"k8s.gcr.io/pause:3.6\\": failed to pull and u',
    ],
    [
      'ImagePullFailed',
      'failed to get sandbox image \\"registry.k8s.io/pause:3.6\\": failed to pull image \\"registry.k8s.io/pause:3.6\\": failed to resolve reference \\"registry.k8s.io/pause:3.6\\":',
    ],
    [
      'KubeletConfigInvalid',
      '    - n1 kubelet[13]: E0116 08:35:41.070930  13 run.go:74] "command failed" err="failed to set feature gates from initial flags-based config: unrecognized feature gate: Moon"',
    ],
    [
      'KernelSettingWrong',
      'Registration of the raw container factory failed: inotify_init: too many open files',
    ],
  ])('is %s: %s', (expected, said) => {
    expect(code('It said:', '', '```', said, '```')).toBe(expected);
  });

  it('is no failure of a pod that somebody describes', () => {
    expect(
      code(
        '  Warning  FailedCreatePodSandBox  failed to get sandbox image "r.example/pause:3.6": failed to pull',
      ),
    ).toBe('nothing');
  });

  it('tells why it may not set what the kernel has', () => {
    const refused =
      '[kubelet-check] The HTTP call equal to \'curl -sSL http://localhost:10248/healthz\' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.';
    const said =
      'Dec 05 16:50:08 n1 kubelet[172]: E1205 16:50:08.902786     172 container_manager_linux.go:440] "Updating kernel flag failed (Hint: enable KubeletInUserNamespace feature flag to ignore the error)" err="open /proc/sys/kernel/panic: permission denied" flag="kernel/panic"';
    expect(verdict(refused, '', said).failure).toMatchObject({
      code: 'FileAccessDenied',
      cause: 'The kubelet exits because it cannot set /proc/sys/kernel/panic: permission denied.',
    });
  });
});

describe('a kubelet that can start no pod, where its journal is all there is', () => {
  const said = (file: string, text: string): string =>
    `Jan 10 10:00:02 n1 kubelet[42]: E0110 10:00:02.109966      42 ${file}] ${text}`;
  const SANDBOX = 'remote_runtime.go:113';
  const failed = (why: string): string =>
    said(
      SANDBOX,
      `"RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = ${why}"`,
    );

  it.each<[string, string, string]>([
    [
      'CgroupDriverMismatch',
      'CRI-O uses the cgroup driver systemd, the kubelet cgroupfs.',
      said(
        SANDBOX,
        'RunPodSandbox from runtime service failed: rpc error: code = Unknown desc = cri-o configured with systemd cgroup manager, but did not receive sl',
      ),
    ],
    [
      'CgroupDriverMismatch',
      'CRI-O uses the cgroup driver cgroupfs, the kubelet systemd.',
      failed(
        'cri-o configured with cgroupfs cgroup manager, but received systemd slice as parent: kubepods.slice',
      ),
    ],
    [
      'KubeletFileMissing',
      'its resolvConf /etc/resolv.conf',
      said(
        'kuberuntime_sandbox.go:41',
        '"Failed to generate sandbox config for pod" err="open /etc/resolv.conf: no such file or directory" pod="kube-system/etcd-n1"',
      ),
    ],
    [
      'ContainerNotStarted',
      "cannot mount a container's root (invalid argument)",
      failed(
        'failed to create containerd task: failed to create shim task: failed to mount rootfs component: invalid argument: unknown',
      ),
    ],
    [
      'ContainerNotStarted',
      "cannot mount a container's root (no such device)",
      failed(
        'failed to create containerd task: failed to mount rootfs component &{overlay overlay [workdir=/var/lib/containerd/1/work lowerdir=/var/lib/containerd/1/fs]}: no such device: unknown',
      ),
    ],
    [
      'ContainerNotStarted',
      'finds no seccomp',
      failed(
        'failed to create containerd container: failed to generate seccomp spec opts: seccomp is not supported',
      ),
    ],
    [
      'ProgramMissing',
      'runc is not installed',
      failed('exec: "runc": executable file not found in $PATH: unknown'),
    ],
  ])('%s: %s', (expected, cause, line) => {
    expect(verdict(line).failure).toMatchObject({ code: expected, cause: expect.stringContaining(cause) });
  });

  it('names a file that can be there', () => {
    const without = (path: string): string =>
      said(
        'kuberuntime_sandbox.go:41',
        `"Failed to generate sandbox config for pod" err="open ${path}: no such file or directory"`,
      );
    expect(verdict(without('/etc/resolv.conf')).failure?.remedy).toMatch(/^Create \/etc\/resolv\.conf/);
    expect(verdict(without('/run/systemd/resolve/resolv.conf')).failure?.remedy).toMatch(/^Set resolvConf/);
  });

  it('is told of its own static pods for any reason, of a workload for none but those of every pod', () => {
    const why =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: no';
    const syncing = (pod: string): string =>
      said(
        'pod_workers.go:965',
        `"Error syncing pod, skipping" err="failed to \\"CreatePodSandbox\\" for \\"${pod}(c761)\\" with CreatePodSandboxError: \\"Failed to create sandbox f`,
      );
    expect(code(failed(why), syncing('etcd-n1_kube-system'))).toBe('ContainerNotStarted');
    expect(code(failed(why), syncing('shop-1_default'))).toBe('nothing');
    expect(code(failed(why))).toBe('nothing');
  });

  it('says so where a terminal has cut off the reason', () => {
    const cut = said(
      'kuberuntime_sandbox.go:71',
      '"Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to create shim task: OCI runtime create failed: runc create failed: un',
    );
    const pod = said(
      'pod_workers.go:965',
      '"Error syncing pod, skipping" err="failed to \\"CreatePodSandbox\\" for \\"etcd-n1_kube-system(c761)\\" with Cre',
    );
    expect(verdict(cut, pod).failure?.cause).toBe(
      'The container runtime cannot start a container; the reason is cut off.',
    );
  });
});
