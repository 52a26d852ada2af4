/** What people cut out of their logs and notes: the end of an output, one line, a sentence in a comment. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';

describe('a part of an output, without any step', () => {
  it.each([
    ['CertificateSecretMissing', 'error downloading the secret: Secret "kubeadm-certs" was not found'],
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
      'this version of kubeadm only supports deploying clusters with the control plane version >= 1.19.0. Current version: v1.18.2',
    ],
    [
      'ControlPlaneNotReady',
      `error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster`,
    ],
    [
      'LeftoversFound',
      String.raw`[ERROR FileAvailable-\etc\kubernetes\kubelet.conf]: \etc\kubernetes\kubelet.conf already exists`,
    ],
    [
      'EtcdUnhealthy',
      `**error execution phase check-etcd: etcd cluster is not healthy: context deadline exceeded ${HINT}**`,
    ],
  ])('is %s', (wanted, line) => {
    expect(code('It says:', '', line, '', 'What can I do?')).toBe(wanted);
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
    expect(refusal('system:node:n1')?.remedy).toContain("kubelet's certificate");
    expect(refusal('system:bootstrap:abcdef')?.remedy).toContain('bootstrap-token');
  });
});

it.each(['protocol not available', 'operation not supported', 'network is down'])(
  'a connection may fail in any way: %s',
  (why) => {
    expect(
      verdict(
        '[preflight] Running pre-flight checks',
        `error execution phase preflight: couldn't validate the identity of the API Server: Get "https://10.1.2.3:6443/x": dial tcp 10.1.2.3:6443: connect: ${why}`,
      ).failure,
    ).toMatchObject({ code: 'ApiServerUnreachable', cause: expect.stringContaining(why) });
  },
);

describe('the container runtime', () => {
  const finding = (output: string): string[] => [
    'error execution phase preflight: [preflight] Some fatal errors occurred:',
    `\t[ERROR CRI]: container runtime is not running: output: ${output}`,
    ', error: exit status 1',
  ];

  it('is not accused of what crictl itself cannot read', () => {
    const { failure } = verdict(
      ...finding(
        `time="2026-01-02T03:04:05Z" level=fatal msg="getting status of runtime: invalid character 'c' in string escape code"`,
      ),
    );
    expect(failure?.code).toBe('PreflightFailed');
    expect(failure?.cause).toContain('invalid character');
  });

  it('is down where nobody answers, though the sentence speaks of its interface', () => {
    expect(
      code(
        '"command failed" err="failed to run Kubelet: validate service connection:',
        'CRI v1 runtime API is not implemented for endpoint',
        String.raw`\"unix:///run/crio/crio.sock\": rpc error: code = Unavailable`,
        'desc = connection error: dial unix /run/crio/crio.sock: connect: no such file or directory"',
      ),
    ).toBe('ContainerRuntimeDown');
  });

  it('does not offer the interface, also where the finding is broken and others write between', () => {
    const at = (program: string, text: string): string => `May 03 04:05:06 n1 ${program}[9]: ${text}`;
    const pieces = [
      '[ERROR CRI]: could not connect to the container runtime:',
      'validate CRI v1 runtime API for endpoint',
      '"unix:///run/containerd/containerd.sock":',
      'rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService',
    ];
    expect(code(...pieces.flatMap((text) => [at('cloud-init', text), at('sshd', 'error: closed')]))).toBe(
      'ContainerRuntimeUnsuitable',
    );
  });

  it('does not offer the interface by which an image would be pulled', () => {
    expect(
      code(
        String.raw`[ERROR ImagePull]: failed to pull image registry.k8s.io/x:v1: output: level=fatal msg="validate service connection: CRI v1 image API is not implemented for endpoint \"unix:///run/containerd/containerd.sock\": rpc error: code = Unimplemented desc = unknown service runtime.v1.ImageService"`,
      ),
    ).toBe('ContainerRuntimeUnsuitable');
  });
});

describe('the log of a component alone', () => {
  const refused = (why: string) =>
    `{"level":"fatal","ts":"2026-05-03T04:05:06.000001Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"${why}"}`;
  const said = (...texts: string[]) => texts.map((text) => `E0503 04:05:06.000001       1 ${text}`);
  const HOST = 'options.go:221] external host was not specified, using 10.1.2.3';
  const MISSING =
    'run.go:74] "command failed" err="open /etc/kubernetes/pki/x.crt: no such file or directory"';

  it.each([
    [
      'EtcdMemberNotAdded',
      ['The log of etcd:', '```', `      ${refused('error validating peerURLs: member count is unequal')}`],
    ],
    [
      'CertificatesMissing',
      [
        'The newest file:',
        `    2026-05-03T04:05:06.000001Z stderr F ${refused('open /etc/kubernetes/pki/etcd/x.crt: no such file or directory')}`,
      ],
    ],
    ['CertificatesMissing', ['$ crictl logs 1234', ...said(HOST, MISSING)]],
    [
      'EtcdUnhealthy',
      said(
        'clientconn.go:1331] [core] grpc: addrConn.createTransport failed to connect to {127.0.0.1:2379 127.0.0.1 <nil> 0 <nil>}. Err: connection error',
        'run.go:74] "command failed" err="context deadline exceeded"',
      ),
    ],
  ])('says why it ended: %s', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });

  it('is not read as that of the kubelet whose line stands in front', () => {
    const kubelet =
      'May 03 04:05:06 n1 kubelet[77]: I0503 04:05:06.000001      77 server.go:495] "Kubelet version"';
    expect(code(kubelet, ...said(HOST, MISSING))).toBe('CertificatesMissing');
  });

  it('has no part in what a kubelet says behind it', () => {
    const { failure } = verdict(
      `May 03 04:05:06 n1 etcd[80]: ${refused('x').replace('fatal', 'warn')}`,
      'E0503 04:05:06.000001      77 run.go:74] "command failed" err="failed to run Kubelet: no such thing"',
    );
    expect(failure?.code).toBe('KubeletCrashing');
  });

  it('means nothing where nothing tells whose it is, nor in a whole log', () => {
    expect(code(...said('run.go:74] "command failed" err="too many open files"'))).toBe('nothing');
    const others = Array.from({ length: 80 }, (_, n) => `May 03 04:06:00 n1 app[90]: request ${n}`);
    expect(code(...others, `May 03 04:05:06 n1 etcd[80]: ${refused('listen tcp 10.1.2.3:2380')}`)).toBe(
      'nothing',
    );
  });
});

it('a program that logs what kubeadm prints says nothing itself', () => {
  const logged = (msg: string): string =>
    JSON.stringify({ level: 'info', msg, time: '2026-11-21T02:34:29Z' });
  const retry = JSON.stringify({
    level: 'warn',
    msg: 'retrying of unary invoker failed',
    error:
      'rpc error: code = FailedPrecondition desc = etcdserver: can only promote a learner member which is in sync with leader',
  });
  const error =
    'error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: etcdserver: can only promote a learner member which is in sync with leader';
  expect(code(logged('[etcd] Creating static Pod manifest for "etcd"'), logged(retry), logged(error))).toBe(
    'EtcdLearnerNotReady',
  );
});

it.each([
  [
    'VersionSkew',
    'configmaps "kubelet-config-1.12" is forbidden: User "system:bootstrap:4ipkdk" cannot get configmaps in the namespace "kube-system"',
  ],
  [
    'PermissionDenied',
    'configmaps "kubeadm-config" is forbidden: User "system:bootstrap:4ipkdk" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
  ],
  [
    'KubeadmTimedOut',
    [
      'Unfortunately, an error has occurred:',
      '\ttimed out waiting for the condition',
      '',
      'This error is likely caused by:',
      '\t- The kubelet is not running',
    ]
      .map((line) => `scaleway_server.n1 (remote-exec): \t\t${line}`)
      .join('\n'),
  ],
  ['NoUsableAddress', `route ip+net: no such network interface\n${HINT}`],
  [
    'ResourceNotFetched',
    `unable to fetch file. URL: "https://dl.k8s.io/release/stable-1.13..txt", status: 404 Not Found`,
  ],
  [
    'ClusterInfoUnavailable',
    `[discovery] Failed to connect to API Server "kube.lan:6443": failed to parse cluster CA from the cluster-info configmap: trailing data after first PEM block`,
  ],
  ['ControlPlaneConfigInvalid', `couldn't use "10.0.0.999" as "apiserver-advertise-addr`],
  [
    'KubeadmConfigInvalid',
    'v1beta2.ClusterConfiguration.APIServer: v1beta2.APIServer.ControlPlaneComponent: ExtraArgs: ReadString: expects " or n, but found f, error found i',
  ],
])('%s is what kubeadm found amiss in what it was given, also cut off', (wanted, said) => {
  expect(code('# kubeadm init --config kubeadm.yaml', said)).toBe(wanted);
});

it('a reason may stand on a line of its own, or be cut off', () => {
  const time = 'timed out waiting for the condition';
  expect(code('```', 'error execution phase kubelet-start', time, '```')).toBe('KubeadmTimedOut');
  const { failure } = verdict(
    'error execution phase upload-config/kubelet: Error writing Crisocket information for the control-...',
  );
  expect(failure).toMatchObject({ code: 'NodeNotRegistered', cause: expect.stringMatching(/cut off/) });
});

it('an error that a page quotes may be wrapped by hand', () => {
  const lines = [
    'error: error execution phase check-etcd: could not retrieve the list of',
    'etcd endpoints: pods is forbidden: User "kubernetes-admin" cannot list',
    'resource "pods" in API group "" in the namespace "kube-system"',
  ];
  expect(code('### Error', '', '```', ...lines, '```', '', 'It came with the third node.')).toBe(
    'PermissionDenied',
  );
});

it('a dry run and a trace give the cause before what it caused', () => {
  const step =
    '[download-certs] Downloading the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace';
  const user = 'User "system:bootstrap:abcdef" cannot get resource "secrets" in API group ""';
  const refused = `secrets "kubeadm-certs" is forbidden: ${user} in the namespace "kube-system"`;
  expect(code(step, refused, 'error downloading the secret')).toBe('PermissionDenied');
  const trace = [
    'k8s.io/kubernetes/cmd/kubeadm/app/phases/copycerts.DownloadCerts',
    '\tcmd/kubeadm/app/phases/copycerts/copycerts.go:228',
  ];
  const gone = 'Secret "kubeadm-certs" was not found in the "kube-system" Namespace.';
  expect(code(step, gone, 'error downloading the secret', ...trace, 'error downloading certs')).toBe(
    'CertificateSecretMissing',
  );
});

it('an excerpt may hold how kubeadm begins, and how the kubelet ends', () => {
  const begins = '[preflight] Running pre-flight checks';
  const kubelet =
    'E0101 10:00:00.000000     690 server.go:294] "Failed to run kubelet" err="failed to run Kubelet: running with swap on is not supported"';
  expect(code(kubelet, '', `# ${begins}`, 'It stops there, too.')).toBe('SwapEnabled');
  expect(code(begins, '[kubelet-start] Starting the kubelet', kubelet)).toBe('unfinished');
});

it('an API server that is not named is known by what only it says', () => {
  const refused =
    '"failed to initialize admission: couldn\'t init admission plugin \\"PodSecurity\\": unknown field \\"exemption\\""';
  const said = `E1116 02:59:09.121285       1 run.go:120] "command failed" err=${refused}`;
  expect(code('It ends:', '', `2026-11-16T02:59:09.121870759Z stderr F ${said}`)).toBe('ControlPlaneBadFlag');
});

it('a second list of findings is that of another run', () => {
  const head = '[preflight] Some fatal errors occurred:';
  const first =
    '        [ERROR CRI]: container runtime is not running: output: level=fatal msg="rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService"';
  const second =
    '[ERROR ImagePull]: failed to pull image r.example/kube-proxy:v1.28.2: output: dial tcp 192.0.2.9:443: i/o timeout';
  const page = ['#### 1', head, first, ', error: exit status 1', '', '#### 2', '```', head, second, '```'];
  expect(code(...page)).toBe('ImagePullFailed');
  expect(verdict(...page).attempts).toHaveLength(2);
  expect(verdict(head, first, second).attempts).toHaveLength(1);
});

it("what kubeadm asked for the cluster's configuration is its error, without a word of its own", () => {
  const steps = [
    'I0728 14:44:51.887542     332 join.go:543] [preflight] Fetching init configuration',
    '[preflight] Reading configuration from the cluster...',
  ];
  const asked =
    'Get "https://cp.example:6443/api/v1/namespaces/kube-system/configmaps/kubeadm-config?timeout=10s": dial tcp: lookup cp.example on 192.0.2.53:53: server misbehaving';
  expect(code(...steps, asked)).toBe('ApiServerNameUnresolved');
});

it('a reset that a page advises ends with its block', () => {
  const found = [
    '[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists',
    '        [ERROR Port-10250]: Port 10250 is in use',
  ];
  expect(code('```sh', 'kubeadm reset', '```', '', '```', ...found, '```')).toBe('LeftoversFound');
  expect(code('```sh', 'kubeadm upgrade node', '```', '', '```', ...found, '```')).toBe('nothing');
});
