/** Lines that a terminal, a person or another program has broken, cut, indented or put between others. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';

it('an address into which a wrapping has put blanks is one', () => {
  const error =
    'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://clu  ster-endpoint:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp 172  .31.0.2:6443: connect: no route to host';
  expect(code('[preflight] Running pre-flight checks', error, HINT)).toBe('ApiServerUnreachable');
});

describe('an error over several lines', () => {
  it.each([
    [
      'VersionSkew',
      'error execution phase preflight: unable to fetch the kubeadm-config ConfigMap:\n  this version of kubeadm only supports deploying clusters with the control plane version >= 1.20.0.\n  Current version: v1.19.4',
    ],
    [
      'CertificatesMissing',
      "error execution phase control-plane-prepare/certs: \nfailed to get certificate authority key: couldn't load the private key file /etc/kubernetes/pki/ca.key: \nopen /etc/kubernetes/pki/ca.key: no such file or directory",
    ],
    [
      'NodeNameInUse',
      'error execution phase kubelet-start: a Node with name "ubuntu" and status "Ready" \nalready exists in the cluster',
    ],
    [
      'PermissionDenied',
      'error: error execution phase check-etcd: could not retrieve the list of\netcd endpoints: pods is forbidden: User "kubernetes-admin" cannot list\nresource "pods" in API group "" in the namespace "kube-system"',
    ],
    [
      'ImagePullDenied',
      '[ERROR ImagePull]: failed to pull image registry.example/x:v1\noutput: E0503 04:05:06.000001      77 remote_image.go:180] "PullImage from image service failed" err="unexpected status from HEAD request to https://registry.example/v2/x/manifests/v1: 403 Forbidden"',
    ],
    ['LeftoversFound', '[ERROR FileAvailable--etc-x]: \n    /etc/x already exists'],
    [
      'ImageNotFound',
      '[ERROR ImagePull]: failed to pull image registry.example/x:v1\nrpc error: code = NotFound desc = registry.example/x:v1: not found',
    ],
  ])('is %s', (wanted, text) => {
    expect(code(text, HINT)).toBe(wanted);
  });
});

it('a journal may be wrapped at words', () => {
  const journal = [
    'Nov 21 02:34:01 n1 cloud-init[12]: [preflight] Running pre-flight checks',
    'Nov 21 02:34:02 n1 cloud-init[12]: error execution phase preflight:',
    '[preflight] Some fatal errors occurred:',
    'Nov 21 02:34:02 n1 cloud-init[12]:         [ERROR Port-10250]: Port 10250 is in',
    'use',
  ];
  expect(code(...journal)).toBe('PortInUse');
});

describe('lines that a person has broken, cut or indented', () => {
  it.each([
    [
      'ContainerRuntimeUnsuitable',
      ['error: found multiple CRI endpoints on the host. ', 'Please define which'],
    ],
    [
      'CertificateSecretMissing',
      [
        'error execution phase control-plane-prepare/download-certs:',
        'error downloading certs: error downloading the secret: Secret "kubeadm-certs" was not found',
      ],
    ],
    [
      'TokenUnknown',
      [
        "error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID ",
      ],
    ],
    [
      'SwapEnabled',
      [
        'E0707 19:46:43.349802 5328 run.go:72] "command failed" ',
        'err="failed to run Kubelet: running with swap on is ',
        'not supported, please disable swap"',
      ],
    ],
    [
      'KubeletFileMissing',
      [
        '    n1 $ journalctl -u kubelet',
        '    Apr 10 03:04:21 n1 kubelet[147]: E0410 03:04:21.238395     147 run.go:72] "command failed" err="failed to construct kubelet dependencies: unable to load client CA file /a.crt: open /a.crt: no such file or directory"',
      ],
    ],
    [
      'ApiServerUnreachable',
      [
        'Feb 28 07:59:43 n1 kubelet[154]: E0228 07:59:43.644680     154 kubelet_node_status.go:92] "Unable to register node with API server" err="Post \\"https://cp:6553/api/v1/nodes\\": dial tcp 192.0.2.8:6553: connect: connection refused" node="n1"',
      ],
    ],
    [
      'CredentialsRejected',
      [
        'kubelet[81]: E0612 10:01:23.000001      81 kubelet_node_status.go:96] "Unable to register node with API server" err="Unauthorized" node="n1"',
      ],
    ],
    [
      'ApiServerUnreachable',
      [
        'fatal: [n1]: FAILED! => {',
        '    "msg": "non-zero return code",',
        `    "stderr": "error execution phase preflight: couldn't validate the identity of the API Server: `,
        '        Get \\"https://192.0.2.1:6443/api\\": ',
        '        dial tcp 192.0.2.1:6443: connect: connection refused",',
        '    ...',
        '}',
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        'E0912 21:15:32.410921   18452 server.go:302] "Failed to run kubelet" err="misconfigured cgroup driver: kubelet cgroup driver: \\"systemd\\" is different from docker/runtime cgroup driver: \\"cgroupfs\\""',
      ],
    ],
    [
      'ProgramMissing',
      [
        '[ERROR SystemVerification]: failed to parse kernel config: unable to load kernel module: "configs", output: "", err: exec: "modprobe": executable file not found in $PATH',
      ],
    ],
  ])('%s', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });
});

describe('other programs between the two halves of a sentence', () => {
  const other = 'Nov 21 02:34:29 n1 sshd[7]: error: maximum authentication attempts exceeded';

  it('whose first half has a prefix', () => {
    const first =
      'Nov 21 02:34:29 n1 kubelet: E1121 02:34:29.000001       7 run.go:74] "command failed" err="failed to validate kubelet flags: ';
    expect(code(first, other, 'the endpoint of the runtime is empty"')).toBe('KubeletBadFlag');
  });

  it('of which neither has one', () => {
    expect(
      code(
        'this version of kubeadm only supports deploying clusters with ',
        other,
        '  the control plane version >= 1.30.0. Current version: v1.28.1',
      ),
    ).toBe('VersionSkew');
  });
});

describe('results of Ansible', () => {
  const error = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
  it('may have lost the escapes of their line ends', () => {
    expect(
      code(
        'fatal: [n1]: FAILED! => {"changed": true, "rc": 1, "stderr": "\\t[WARNING Swap]: on',
        error,
        `${HINT}", "stderr_lines": ["${error}"], "stdout": "[init] Using Kubernetes version: v1.23.8`,
        '[preflight] Running pre-flight checks',
        '[certs] Using certificateDir folder \\"/etc/kubernetes/pki\\""}',
      ),
    ).toBe('ControlPlaneNotReady');
  });

  it('may be cut at both ends', () => {
    expect(
      code(
        `d.pem: no such file", "\\t[WARNING Swap]: on", "${error}", "${HINT}"], "stdout": "[init] Using Kubernetes version: v1.23.8\\n[preflight] Running pre-flight checks\\n[kubelet-start] Starting the`,
      ),
    ).toBe('ControlPlaneNotReady');
  });
});

it('an error may be cut within its sentence', () => {
  expect(code('error: your configuration file uses an old API spec: "kubeadm.k8s.io/v1beta3"')).toBe(
    'KubeadmConfigVersionUnsupported',
  );
  expect(
    code(
      "couldn't initialize a Kubernetes cluster",
      'k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/init.runWaitControlPlanePhase',
      '\tcmd/kubeadm/app/cmd/phases/init/waitcontrolplane.go:108',
    ),
  ).toBe('ControlPlaneNotReady');
});

describe('an error that somebody has broken at a word', () => {
  it.each([
    [
      'ApiServerUnreachable',
      [
        'error execution phase upload-config/kubeadm: could not bootstrap the admin user',
        'in file admin.conf: unable to create ClusterRoleBinding: Post',
        '"https://lb.example:443/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?timeout=10s":',
        'context deadline exceeded',
      ],
    ],
    [
      'ApiServerUnreachable',
      [
        'error execution phase control-plane-prepare/download-certs:',
        '  Get "https://10.1.2.3:6443/...": connect: connection refused',
      ],
    ],
  ])('is %s', (wanted, lines) => {
    const { failure } = verdict('```', ...lines, '```', '', 'So the phase behind it never began.');
    expect(failure?.code).toBe(wanted);
    expect(failure?.lines?.join()).not.toContain('never began');
  });
});

it("an output that was cut out of Ansible's result may begin anywhere", () => {
  expect(
    code(
      String.raw` from directory \"/etc/kubernetes/manifests\"\n[kubelet-check] Initial timeout of 40s passed.\n\nUnfortunately, an error has occurred:\n\ttimed out waiting for the condition\n\nThis error is likely caused by:\n\t- The kubelet is not running"`,
    ),
  ).toBe('KubeadmTimedOut');
});

it('a finding may have its tab as a program writes it', () => {
  expect(
    code(
      'const LOG = `[preflight] Running pre-flight checks',
      '[preflight] Some fatal errors occurred:',
      String.raw`\t[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2`,
      'error: error execution phase preflight: preflight checks failed',
    ),
  ).toBe('MachineTooSmall');
});

it('the error of one phase ends where that of another begins', () => {
  expect(
    code(
      '-> error',
      "error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID ",
      'what helped: make another token',
      '-> error',
      'error execution phase kubelet-start: error uploading crisocket: timed out waiting for the condition',
    ),
  ).toBe('NodeNotRegistered');
});

describe('a stack trace without its end', () => {
  const trace = (name: string): string[] => [
    'could not parse "ci/v1.30.0+1" as version',
    `k8s.io/kubernetes/cmd/kubeadm/app/util/config.${name}`,
    '\tcmd/kubeadm/app/util/config/cluster.go:100',
    'k8s.io/kubernetes/cmd/kubeadm/app/cmd.fetchInitConfiguration',
    '\tcmd/kubeadm/app/cmd/join.go:621',
  ];

  it("is kubeadm's by its functions", () => {
    expect(code(...trace('FetchInitConfigurationFromCluster'))).toBe('KubeadmConfigInvalid');
  });

  it("is nobody's where another of its commands ran", () => {
    expect(
      code(
        ...trace('x'),
        'k8s.io/kubernetes/cmd/kubeadm/app/cmd.newCmdReset.func1',
        '\tcmd/kubeadm/app/cmd/reset.go:1',
      ),
    ).toBe('nothing');
  });
});

it('an excerpt may end within an error that it has told in full', () => {
  const full = [
    '\t[ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward contents are not set to 1',
    '[preflight] If you know what you are doing, you can make a check non-fatal',
    HINT,
  ];
  expect(code(...full, '!!! again', 'error execution phase preflight: [preflight')).toBe(
    'KernelSettingWrong',
  );
});

it('what kubeadm gave up waiting for may have lost its indentation', () => {
  const waits = '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods';
  const gaveUp = [
    '',
    'Unfortunately, an error has occurred:',
    'timed out waiting for the condition',
    'This error is likely caused by:',
    '- The kubelet is not running',
  ];
  expect(code(waits, ...gaveUp)).toBe('KubeadmTimedOut');
  const seems = "[kubelet-check] It seems like the kubelet isn't running or healthy.";
  expect(code(waits, seems, ...gaveUp)).toBe('KubeletUnhealthy');
  // Until 1.28 it says so right behind that, and nothing of a kubelet that is healthy.
  const checked = '[kubelet-check] Initial timeout of 40s passed.';
  expect(code(waits, checked, ...gaveUp)).toBe('ControlPlaneNotReady');
  expect(code(waits, checked, seems, ...gaveUp)).toBe('KubeletUnhealthy');
  expect(code(checked, ...gaveUp)).toBe('KubeadmTimedOut');
});

describe('another writer between the lines', () => {
  const between = (lines: readonly string[], other: string): string[] =>
    lines.flatMap((line) => [line, other]);
  const sshd =
    'Nov 21 02:34:29 n1 sshd[7]: error: kex_exchange_identification: Connection closed by remote host';

  it('is named in front of what it complains of', () => {
    const open =
      'error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: configmaps "kubeadm-config" is forbidden: User "system:boo';
    for (const other of [
      'curl: (60) x509: certificate signed by unknown authority',
      'agent[7]: Unauthorized',
    ])
      expect(code(open, other)).toBe('PermissionDenied');
  });

  it('makes no failure of a script', () => {
    const script = ['case $A in', '  docker)', '    # [ERROR Swap]: swap is on', '    a=b', '    ;;', 'esac'];
    expect(code(...between(script, sshd))).toBe('nothing');
  });

  it('leaves what a script has shown of the kubelet', () => {
    const shown =
      'kubelet.go:1380] Failed to start ContainerManager: failed to find subsystem mount for required subsystem: pids';
    expect(code(`Nov 21 02:34:29 n1 cloud-init[12]: ${shown}`, sshd)).toBe('CgroupsUnsuitable');
  });

  it('has not filled the disk of the runtime by a file that it could not open', () => {
    const docker =
      'Nov 21 02:34:29 n1 dockerd[7]: time="2026-11-21T02:35:01Z" level=error msg="open /var/lib/docker/x: no space left on device"';
    expect(
      code(
        docker,
        'Nov 21 02:34:30 n1 kubeadm[9]: [kubelet-start] Starting the kubelet',
        docker,
        "Nov 21 02:34:31 n1 kubeadm[9]: error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster",
      ),
    ).toBe('ControlPlaneNotReady');
  });
});

it('a reset that somebody called after an error is no attempt', () => {
  const reset = [
    '[root@n2 ~]# kubeadm reset',
    '[reset] WARNING: Changes will be reverted.',
    '[preflight] Running pre-flight checks',
  ];
  const error =
    'error execution phase kubelet-start: error uploading crisocket: timed out waiting for the condition';
  expect(code('[kubelet-start] Activating the kubelet service', error, '', ...reset)).toBe(
    'NodeNotRegistered',
  );
});

it('a word of the kubelet may be broken', () => {
  const broken = ' "command failed" err="failed to run Kubelet: running with swap on is not s';
  expect(code(broken, 'upported, please disable swap or set --fail-swap-on flag to false"')).toBe(
    'SwapEnabled',
  );
});
