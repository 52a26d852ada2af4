import { describe, expect, it } from 'vitest';
import { diagnoseLog } from './diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';
const verdict = (...lines: string[]) => diagnoseLog(readLines('log', lines.join('\n')));
const code = (...lines: string[]): string => {
  const { failure, result } = verdict(...lines);
  return failure?.code ?? result;
};

describe('a part of an output, without any step', () => {
  it.each([
    ['KubeadmArgumentInvalid', "can not mix '--config' with arguments [patches]"],
    [
      'KubeadmConfigVersionUnsupported',
      'your configuration file uses an old API spec: "kubeadm.k8s.io/v1beta1". Please use kubeadm v1.15 instead',
    ],
    [
      'NodeNameInvalid',
      'nodeRegistration.name: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case characters',
    ],
    [
      'CaHashMismatch',
      `couldn't validate the identity of the API Server: none of the public keys "sha256:9" are pinned`,
    ],
    [
      'KernelSettingWrong',
      '- [ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward contents are not set to 1',
    ],
    [
      'VersionSkew',
      '1.this version of kubeadm only supports deploying clusters with the control plane version >= 1.19.0. Current version: v1.18.2',
    ],
    [
      'ControlPlaneNotReady',
      `# "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster"`,
    ],
    ['NodeNotRegistered', '// error execution phase mark-control-plane: nodes "n1" not found'],
    [
      'EtcdUnhealthy',
      `**error execution phase check-etcd: etcd cluster is not healthy: context deadline exceeded ${HINT}**`,
    ],
  ])('is %s', (wanted, line) => {
    expect(code('It says:', '', line, '', 'What can I do?')).toBe(wanted);
  });

  it('may have the quotation marks of a blog', () => {
    expect(
      code(
        'couldn’t validate the identity of the API Server: abort connecting to API servers after timeout of 5m0s',
      ),
    ).toBe('ApiServerUnreachable');
  });

  it('may have all findings in one line', () => {
    const { failure } = verdict(
      '>> [ERROR Port-10250]: Port 10250 is in use [ERROR FileAvailable--a]: /etc/kubernetes/pki/ca.crt already exists [preflight] If you know',
    );
    expect(failure).toMatchObject({
      code: 'LeftoversFound',
      cause: '/etc/kubernetes/pki/ca.crt already exists. Also: Port 10250 is in use.',
    });
  });

  it('does not say which command it was, nor how it ended, where nothing tells', () => {
    const { failure } = verdict('error execution phase moon: the moon is full', HINT);
    expect(failure?.cause).toMatch(/^kubeadm failed in the phase moon in a way that is not in the table/);
    expect(failure?.exitStatus).toBeUndefined();
  });
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
  ])('is %s', (wanted, text) => {
    expect(code(text, HINT)).toBe(wanted);
  });
});

describe('what others do with kubeadm', () => {
  const upgrade = [
    '$ kubeadm upgrade apply v1.28.0',
    '[upgrade/config] Making sure the configuration is correct:',
    '[preflight] Running pre-flight checks.',
    '[upgrade/health] FATAL: [preflight] Some fatal errors occurred:',
    '\t[ERROR ControlPlaneNodesReady]: there are NotReady control-planes in the cluster: [n1]',
    HINT,
  ];

  it('an upgrade is neither join nor init, and overturns none', () => {
    expect(code(...upgrade)).toBe('nothing');
    const init = [
      '[init] Using Kubernetes version: v1.27.3',
      'Your Kubernetes control-plane has initialized successfully!',
    ];
    expect(code(...init, ...upgrade)).toBe('succeeded');
    expect(verdict(...init, ...upgrade).attempts).toHaveLength(1);
  });

  it('Ansible tells the error before the progress', () => {
    const text = `fatal: [n1]: FAILED! => changed=true\n  rc: 1\n  stderr: |2-\n            [WARNING Swap]: on\n    error execution phase preflight: couldn't validate the identity of the API Server: Get "https://10.0.0.9:6443/": dial tcp 10.0.0.9:6443: connect: connection refused\n    ${HINT}\n  stderr_lines: <omitted>\n  stdout: '[preflight] Running pre-flight checks'\n`;
    expect(code(text)).toBe('ApiServerUnreachable');
    expect(verdict(text).attempts).toHaveLength(1);
  });

  it('Ansible ended it because it took too long', () => {
    const stdout =
      '[init] Using Kubernetes version: v1.28.6\n[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet';
    const result = { cmd: ['timeout', '300s', 'kubeadm', 'init'], rc: 124, stderr: '', stdout };
    expect(code(`fatal: [n1]: FAILED! => ${JSON.stringify(result).replaceAll('":', '": ')}`)).toBe(
      'KubeadmInterrupted',
    );
  });

  it('another application says that an error has occurred', () => {
    expect(code('Unfortunately, an error has occurred.', 'Please try again.')).toBe('nothing');
  });
});

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

it("etcd's own last words explain a member that did not start", () => {
  const error =
    'error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: timeout waiting for etcd cluster to be available';
  const words =
    '{"level":"fatal","ts":"2021-06-09T17:43:11Z","caller":"etcdmain/etcd.go:203","msg":"discovery failed","error":"member 5a1f has already been bootstrapped"}';
  expect(code(error, HINT)).toBe('EtcdMemberNotAdded');
  expect(code(error, HINT, words)).toBe('EtcdDataUnusable');
});

describe('a remedy', () => {
  const cri = (socket: string): string | undefined =>
    verdict(
      '[preflight] Some fatal errors occurred:',
      `\t[ERROR CRI]: could not connect to the container runtime: validate CRI v1 runtime API for endpoint "unix://${socket}": dial unix ${socket}: connect: connection refused`,
    ).failure?.remedy;

  it('is that of the runtime that is there', () => {
    expect(cri('/run/cri-dockerd.sock')).toContain('systemctl status cri-docker');
    expect(cri('/var/run/crio/crio.sock')).toContain('journalctl -u crio');
    expect(cri('/run/containerd/containerd.sock')).toContain('journalctl -u containerd');
  });

  it("does not blame the token where the kubelet's certificate was refused", () => {
    const refusal = (user: string) =>
      verdict(
        `error execution phase kubelet-start: cannot get Node "n1": nodes "n1" is forbidden: User "${user}" cannot get resource "nodes" in API group "" at the cluster scope`,
      ).failure;
    expect(refusal('system:node:n1')).toMatchObject({ code: 'PermissionDenied', persistence: 'permanent' });
    expect(refusal('system:node:n1')?.remedy).toContain('certificate of the kubelet');
    expect(refusal('system:bootstrap:abcdef')?.remedy).toContain('bootstrap-token');
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

it("an error behind another command, which has no such phase, is a join's", () => {
  expect(
    code(
      '$ sudo kubeadm reset',
      'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://192.0.2.1:6443/a": dial tcp 192.0.2.1:6443: connect: connection refused',
    ),
  ).toBe('ApiServerUnreachable');
});

describe('a kubelet that waits for its configuration', () => {
  const WAITS =
    'Nov 21 02:35:01 n1 kubelet[6]: E1121 02:35:01.000001       6 run.go:74] "command failed" err="failed to load kubelet config file, error: open /var/lib/kubelet/config.yaml: no such file or directory"';

  it('is a reason where its journal is all there is, and none among others', () => {
    expect(code(WAITS)).toBe('KubeletFileMissing');
    expect(code('Nov 21 02:35:01 n1 sshd[9]: a', WAITS, 'Nov 21 02:35:02 n1 sshd[9]: b')).toBe('nothing');
  });
});

it('a kubelet that kubeadm does not reach is lost when it ended once for what does not pass', () => {
  const [check, end] = [
    `[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.`,
    'Apr  7 09:45:26 n1 kubelet: E0407 09:45:26.086446   94649 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
  ];
  expect(code(check, end)).toBe('CgroupDriverMismatch');
  expect(code('[kubelet-check] Initial timeout of 40s passed.', end)).toBe('unfinished');
});

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

describe('what only looks like kubeadm', () => {
  const step = '[init] starting the installation';
  const finding = '[ERROR Disk]: /dev/sdb is in use';
  const phase = 'error execution phase deploy: no space left on device';
  const own =
    'error execution phase kubelet-start: a Node with name "n1" and status "Ready" already exists in the cluster';

  it.each([step, finding, phase])('is nothing: %s', (line) => {
    expect(code(line)).toBe('nothing');
    expect(code(`Nov 21 02:34:29 n1 agent[7]: ${line}`)).toBe('nothing');
  });

  it('does not hide what kubeadm says before or behind it', () => {
    const log = (...order: string[]) => code(...order.map((line) => `Nov 21 02:34:29 n1 ${line}`));
    const others = [step, finding, phase].map((line) => `agent[7]: ${line}`);
    expect(log(...others, `cloud-init[9]: ${own}`)).toBe('NodeNameInUse');
    expect(log(`cloud-init[9]: ${own}`, ...others)).toBe('NodeNameInUse');
  });

  it('counts within an attempt, and where kubeadm itself is the program', () => {
    expect(code('[preflight] Running pre-flight checks', phase, HINT)).toBe('DiskFull');
    expect(code(`Nov 21 02:34:29 n1 kubeadm[7]: ${phase}`)).toBe('DiskFull');
  });

  it.each([
    'Unfortunately, an error has occurred:',
    '[upload-config] pushing the file failed: no space left on device',
    '[kubelet-check] the collector cannot reach the kubelet: connection refused',
    '[certs] Using the bundle of the company',
    'error execution phase upload: read-only file system',
    'error: unable to read config from "/etc/orders/config.yaml": open /etc/orders/config.yaml: permission denied',
  ])('does not spoil a verdict with: %s', (line) => {
    const other = `Nov 21 02:34:29 n1 orders[7]: ${line}`;
    expect(code(other)).toBe('nothing');
    expect(code(`Nov 21 02:34:29 n1 cloud-init[9]: ${own}`, other, other)).toBe('NodeNameInUse');
  });

  it('is no text of a program, and no line of k3s', () => {
    expect(code('return errors.Errorf("your configuration file uses an old API spec: %q. Please", gv)')).toBe(
      'nothing',
    );
    expect(
      code('time="2026-11-21T02:34:29Z" level=fatal msg="unable to select an IP from default routes."'),
    ).toBe('nothing');
  });

  it('is another program that repeats an error, beside a whole run', () => {
    const run = [
      '[preflight] Running pre-flight checks',
      '[kubelet-start] Starting the kubelet',
      'This node has joined the cluster:',
    ];
    const other = `Nov 21 02:34:29 n1 monitor[7]: ${own}`;
    expect(code(...run, other)).toBe('succeeded');
    expect(code(other)).toBe('NodeNameInUse');
    expect(code('Nov 21 02:34:28 n1 cloud-init[9]: [ERROR Swap]: running with swap on', other)).toBe(
      'SwapEnabled',
    );
  });
});

it("another program is known by its own prefix behind vagrant's", () => {
  const lines = ['[preflight] Running pre-flight checks', '[ERROR Swap]: running with swap on', HINT].map(
    (line) => `    default: ${line}`,
  );
  const other =
    '    default: Nov 21 02:34:29 n1 monitor[7]: error execution phase preflight: a Node with name "n2" and status "Ready" already exists in the cluster';
  expect(code(...lines, other)).toBe('SwapEnabled');
});

describe('a sentence of somebody else around an error', () => {
  it.each([
    ['SwapEnabled', 'It ends with: [ERROR Swap]: running with swap on is not supported. Please disable swap'],
    [
      'NodeNameInUse',
      'what I see is error execution phase kubelet-start: a Node with name "n1" and status "Ready" already exists in the cluster',
    ],
    [
      'CgroupDriverMismatch',
      '`error: failed to run Kubelet: misconfiguration: kubelet cgroup driver: "systemd" is different from docker cgroup driver: "cgroupfs"`',
    ],
  ])('is %s', (wanted, line) => {
    expect(code('In the end', line, 'and nothing else.')).toBe(wanted);
  });

  it('is no error where it only names one, nor in a log', () => {
    expect(
      code('See the page on `[ERROR Swap]`: swap is on.', 'It is about error execution phase preflight.'),
    ).toBe('nothing');
    const log = Array.from({ length: 80 }, (_, n) => `2026/11/21 02:34:29 worker ${n} is idle`);
    expect(code(...log, '2026/11/21 02:34:30 once it said [ERROR Swap]: running with swap on')).toBe(
      'nothing',
    );
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
  expect(
    code('ERROR: "error: could not find a JWS signature in the cluster-info ConfigMap for token ID"'),
  ).toBe('TokenUnknown');
});

it("another of kubeadm's commands that Ansible ran is no join", () => {
  const result = (cmd: string) =>
    `fatal: [n1]: FAILED! => {"cmd": "${cmd}", "rc": 1, "stderr": "unable to create Secret: Post \\"https://192.0.2.1:6443/api\\": dial tcp 192.0.2.1:6443: connect: connection refused\\n${HINT}", "stdout": ""}`;
  expect(code(result('kubeadm token create --print-join-command'))).toBe('nothing');
  expect(code(result('kubeadm join --config /a'))).toBe('ApiServerUnreachable');
});

it('ends of a kubelet that waits for its configuration have no other reason', () => {
  const at = 'Nov 21 02:35:01 n1';
  const waits = `${at} kubelet[6]: E1121 02:35:01.000001       6 run.go:74] "command failed" err="failed to load kubelet config file, error: open /var/lib/kubelet/config.yaml: no such file or directory"`;
  const end = `${at} systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE`;
  const others = Array.from({ length: 9 }, () => `${at} sshd[9]: Connection closed`);
  expect(code(...others, waits, end, end, end)).toBe('nothing');
});

it('the time for discovery may be over without a reason', () => {
  expect(code('It says `failed to request the cluster-info ConfigMap: context deadline exceeded`.')).toBe(
    'ApiServerUnreachable',
  );
  expect(code('the join: `error downloading certs: cipher:', 'message authentication failed`.')).toBe(
    'CertificateKeyInvalid',
  );
});
