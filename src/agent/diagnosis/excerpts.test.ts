/** What people cut out of their logs and notes: the end of an output, a line of the kubelet, a sentence in a comment. */
import { describe, expect, it } from 'vitest';
import { diagnoseLog } from './diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';
const verdict = (...lines: string[]) => diagnoseLog(readLines('log', lines.join('\n')));
const code = (...lines: string[]): string => {
  const { failure, result } = verdict(...lines);
  return failure?.code ?? result;
};

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

describe('what only an upgrade checks', () => {
  it.each([
    '[ERROR ControlPlaneNodesReady]: there are NotReady control-planes in the cluster: [n1]',
    '[ERROR CreateJob]: Job "upgrade-health-check-x" in the namespace "kube-system" did not complete in 15s',
    'oneNodesReady]: there are NotReady control-planes in the cluster: [n1]',
  ])('is no failure of init or join: %s', (finding) => {
    expect(
      code(
        '[preflight] Running pre-flight checks',
        '[preflight] Some fatal errors occurred:',
        `\t${finding}`,
        'error: error execution phase preflight: preflight checks failed',
        HINT,
      ),
    ).toBe('nothing');
  });
});

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

describe('the last words of a kubelet', () => {
  const MISSING =
    'unable to load bootstrap kubeconfig: stat /etc/kubernetes/b.conf: no such file or directory';

  it.each([
    [
      'in a sentence',
      'KubeletFileMissing',
      `The log shows "command failed" err="failed to run Kubelet: ${MISSING}"`,
    ],
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

it('one finding alone of a program that runs no kubeadm is not that of kubeadm', () => {
  const finding = '[ERROR Port-9100]: Port 9100 is in use';
  expect(
    code(
      `May 03 04:05:06 n1 metrics-agent[50]: ${finding}`,
      `May 03 04:05:09 n1 metrics-agent[50]: ${finding}`,
    ),
  ).toBe('nothing');
  expect(code(finding)).toBe('PortInUse');
  expect(code(`May 03 04:05:06 n1 cloud-init[50]: ${finding}`)).toBe('PortInUse');
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

  it('does not say why where its lines are cut', () => {
    expect(verdict(failed(String.raw`failed to get sandbox image \"r.exam`)).failure).toMatchObject({
      code: 'ImagePullFailed',
      cause: expect.stringContaining('cut off'),
    });
  });
});

it("an output that was cut out of Ansible's result may begin anywhere", () => {
  expect(
    code(
      String.raw` from directory \"/etc/kubernetes/manifests\"\n[kubelet-check] Initial timeout of 40s passed.\n\nUnfortunately, an error has occurred:\n\ttimed out waiting for the condition\n\nThis error is likely caused by:\n\t- The kubelet is not running"`,
    ),
  ).toBe('KubeadmTimedOut');
});

it("a token that could not be made is no failure of init, also in a shell's trace", () => {
  expect(
    code('+ sudo kubeadm token create abcdef.0123456789abcdef', 'timed out waiting for the condition', HINT),
  ).toBe('nothing');
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

it('a kubelet that may not ask for a certificate waits in vain', () => {
  expect(
    code(
      'May 03 04:05:06 n1 kubelet: E0503 04:05:06.000001      77 certificate_manager.go:434] Failed while requesting a signed certificate from the master: cannot create certificate signing request: certificatesigningrequests.certificates.k8s.io is forbidden: User "system:anonymous" cannot create resource "certificatesigningrequests" in API group "certificates.k8s.io" at the cluster scope',
    ),
  ).toBe('PermissionDenied');
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

describe('a kubelet whose container manager does not start', () => {
  const WHY = 'failed to find subsystem mount for required subsystem: pids';

  it.each([
    [
      `\`kubelet.go:1380] Failed to start ContainerManager failed to initialize top level QOS containers: ${WHY}\``,
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

describe('what stands in the text of a program', () => {
  it('is no error as the argument of a call', () => {
    expect(
      code(
        'if err != nil {',
        '  return nil, errors.Wrap(err, "unable to fetch the kubeadm-config ConfigMap")',
        '}',
      ),
    ).toBe('nothing');
  });

  it('is no error as the comment of a script', () => {
    const script = ['case $A in', '  docker)', '    # [ERROR Swap]: swap is on', '    a=b', '    ;;', 'esac'];
    expect(code(...script)).toBe('nothing');
  });
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

it('is no failure what a test of a program expects', () => {
  expect(
    code(
      'func TestWait(t *testing.T) {',
      '  stderr := `error: error execution phase wait-control-plane: failed while waiting for the kubelet to start`',
      '  if diagnose(stderr) == nil {',
      '    t.Fatal("no diagnosis")',
      '  }',
    ),
  ).toBe('nothing');
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

it('what kubeadm gave up waiting for may have lost its indentation', () => {
  expect(
    code(
      '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods',
      "[kubelet-check] It seems like the kubelet isn't running or healthy.",
      '',
      'Unfortunately, an error has occurred:',
      'timed out waiting for the condition',
      'This error is likely caused by:',
      '- The kubelet is not running',
    ),
  ).toBe('KubeadmTimedOut');
});
