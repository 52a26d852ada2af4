/** What is not kubeadm's, or not of `init` and `join`, and what only speaks of an error. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';

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
    const found = ['[preflight] Some fatal errors occurred:', '\t[ERROR Swap]: running with swap on'];
    expect(code('docker exec n1-control-plane kubeadm upgrade apply v1.35.5 -y', ...found)).toBe('nothing');
  });

  it('a pull of its images fails as one within init', () => {
    const missing = 'rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.ImageService';
    const failed = [`failed to pull image "r.example/pause:3.9": output: level=fatal msg="${missing}"`, HINT];
    expect(code('[root@n1 ~]# kubeadm config images pull', ...failed)).toBe('ContainerRuntimeUnsuitable');
    expect(code('[root@n1 ~]# kubeadm config images list', ...failed)).toBe('nothing');
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

it("an error behind another command, which has no such phase, is a join's", () => {
  expect(
    code(
      '$ sudo kubeadm reset',
      'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://192.0.2.1:6443/a": dial tcp 192.0.2.1:6443: connect: connection refused',
    ),
  ).toBe('ApiServerUnreachable');
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

  it('is no line of k3s that somebody has quoted', () => {
    expect(
      code(
        'k3s says (time=\\"2026-11-21T02:34:29Z\\" level=fatal msg=\\"unable to select an IP from default routes.\\")',
      ),
    ).toBe('nothing');
  });

  it('is no other program that sums up checks of its own as kubeadm does', () => {
    const summary = [
      '[preflight] Some fatal errors occurred:',
      '    [ERROR image-reachable]: the manifest is not there',
      '[preflight] If you know what you are doing, you can make a check non-fatal',
    ];
    expect(code('[preflight] Running the checks of the agent', ...summary)).toBe('nothing');
    expect(code('[preflight] Running pre-flight checks', ...summary)).toBe('PreflightFailed');
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

describe('a sentence about an error is no log', () => {
  it.each([
    'It ends with: [ERROR Swap]: running with swap on is not supported. Please disable swap',
    'what I see is error execution phase kubelet-start: a Node with name "n1" and status "Ready" already exists in the cluster',
    'The kubelet says `failed to run Kubelet: misconfiguration: kubelet cgroup driver: "systemd" is different from docker cgroup driver: "cgroupfs"`',
    "- It says `can not mix '--config' with arguments [patches]` of both",
    'See the page on `[ERROR Swap]`: swap is on.',
  ])('%s', (line) => {
    expect(code('In the end', line, 'and nothing else.')).toBe('nothing');
  });

  it('nor in a log', () => {
    const log = Array.from({ length: 80 }, (_, n) => `2026/11/21 02:34:29 worker ${n} is idle`);
    expect(code(...log, '2026/11/21 02:34:30 once it said [ERROR Swap]: running with swap on')).toBe(
      'nothing',
    );
  });
});

it("another of kubeadm's commands that Ansible ran is no join", () => {
  const result = (cmd: string) =>
    `fatal: [n1]: FAILED! => {"cmd": "${cmd}", "rc": 1, "stderr": "unable to create Secret: Post \\"https://192.0.2.1:6443/api\\": dial tcp 192.0.2.1:6443: connect: connection refused\\n${HINT}", "stdout": ""}`;
  expect(code(result('kubeadm token create --print-join-command'))).toBe('nothing');
  expect(code(result('kubeadm join --config /a'))).toBe('ApiServerUnreachable');
});

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

it("a token that could not be made is no failure of init, also in a shell's trace", () => {
  expect(
    code('+ sudo kubeadm token create abcdef.0123456789abcdef', 'timed out waiting for the condition', HINT),
  ).toBe('nothing');
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
    const short = ['fi', '# [ERROR Swap]: swap is on', 'swapoff -a', 'if [[ $(which x) ]]; then x -f; fi'];
    expect(code(...short)).toBe('nothing');
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

it('is no failure what stands in a row of a test, or in the comment on one', () => {
  const error =
    'error execution phase wait-control-plane: failed while waiting for the control plane to start';
  const row = (...fields: string[]): string[] => ['{', ...fields.map((field) => `\t${field},`), '},'];
  expect(
    code(...row('name:   "not up"', `text:   \`04:03:20: error: ${error}: [x]\``, 'want:   Internal')),
  ).toBe('nothing');
  expect(code(...row('name: "not up"', `text: \`04:03:20: error: ${error}: [x]\``, 'want: Internal'))).toBe(
    'nothing',
  );
  expect(
    code(
      '// A name with a line end in it made kubeadm say:',
      '//',
      '//\terror execution phase mark-control-plane: nodes "n1" not found',
      '//',
      'func TestNameIsTrimmed(t *testing.T) {',
    ),
  ).toBe('nothing');
  expect(code('{', '  code: 1,', `  stderr: "${error}: couldn't start",`, '  signal: null', '}')).not.toBe(
    'nothing',
  );
});

it('is no failure what a sentence explains, nor what the cells of a table quote', () => {
  const token = 'could not find a JWS signature in the cluster-info ConfigMap for token ID';
  expect(code(`**Note:** The error "${token}" means your token has expired. It is removed then.`)).toBe(
    'nothing',
  );
  expect(
    code(
      '| Symptom | Cause |',
      '| --- | --- |',
      '| `[ERROR Port-6443]: Port 6443 is in use` | A control plane runs already. |',
      '| `[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty` | `kubeadm reset -f` removes it. |',
    ),
  ).toBe('nothing');
});

it('is no failure what a page or a comment says to do in case of one', () => {
  const error = '[ERROR CRI]: container runtime is not running';
  expect(code(`# Fix ${error}:`, 'systemctl restart containerd')).toBe('nothing');
  expect(code(`###### In case of ${error} remove a file`, '\t# rm /etc/containerd/config.toml')).toBe(
    'nothing',
  );
  expect(code('# if it says that a file is there: [ERROR FileAvailable--x]: /x already exists', 'date')).toBe(
    'nothing',
  );
  const ruler = `# ${'='.repeat(40)}`;
  const script = [
    ruler,
    'step "2/3" "Making a token"',
    ruler,
    `# (seen once: "couldn't validate the identity of the API Server: could not find a JWS`,
    '#  signature in the cluster-info ConfigMap for token ID ...")',
  ];
  expect(code(...script)).toBe('nothing');
});

it.each([
  'I have set v1beta3.InitConfiguration.NodeRegistration: name, and it works.',
  'E1121 02:34:29.000001    1 controller.go:326] "Reconciler error" err="failed to parse v1beta1.ClusterConfiguration.Etcd: unknown"',
])('a field of a configuration is no error: %s', (text) => {
  expect(code(text)).toBe('nothing');
});

it('is no failure what a comment on a call or a list of changes says', () => {
  const error =
    '[ERROR CRI]: container runtime is not running: output: unknown service runtime.v1.RuntimeService';
  expect(code(`# ${error}`)).toBe('ContainerRuntimeUnsuitable');
  const comment = [
    '// Without this the join is told,',
    '//   configmaps "kubeadm-config" is forbidden: User "system:bootstrap:x"',
  ];
  expect(code(...comment, '//   cannot get resource "configmaps"')).toBe('nothing');
  const missing = 'could not find a JWS signature in the cluster-info ConfigMap';
  expect(code(`- Kubeadm: fix a bug where "kubeadm join" says "${missing}" though there is one`)).toBe(
    'nothing',
  );
});

it('knows an output that stands in a comment of a program', () => {
  const output = [
    '// [preflight] Running pre-flight checks',
    '// error execution phase preflight: [preflight] Some fatal errors occurred:',
  ];
  expect(
    code(...output, '//     [ERROR Swap]: running with swap on is not supported. Please disable swap'),
  ).toBe('SwapEnabled');
});

describe('what a page lists is no failure', () => {
  const root = '[ERROR IsPrivilegedUser]: user is not running as root';
  const forward = '[ERROR FileContent--proc-sys-net-ipv4-ip_forward]: contents are not set to 1';

  it('where each error has its solution', () => {
    const listed = (finding: string): string[] => [
      `  - **Issue**: \`${finding}\``,
      '    **Solution**: `do so`',
      '',
    ];
    expect(code(...listed(root), ...listed(forward))).toBe('nothing');
  });

  it('where it asks in its head', () => {
    expect(code(`### Q2: it says "${root}"`, '', 'An update helps.')).toBe('nothing');
  });

  it('where it only names one', () => {
    const named = "`error execution phase preflight: couldn't validate the identity of the API Server`";
    expect(code(`**Symptom: ${named}.**`, 'The hash is not that of the CA.')).toBe('nothing');
    const skew =
      'this version of kubeadm only supports deploying clusters with the control plane version >= ';
    expect(code('`kubeadm join` fails with:', '```', `${skew}1.33.0. Current version: v1.31.2`, '```')).toBe(
      'VersionSkew',
    );
  });

  it('where minikube has called kubeadm again, and it went well', () => {
    const failed = [
      '[kubeconfig] Using kubeconfig folder "/etc/kubernetes"',
      'error execution phase kubeconfig/admin: a kubeconfig file "/etc/kubernetes/admin.conf" exists already but has got the wrong CA cert',
      HINT,
      '',
      '    ▪ Generating certificates and keys ...',
      '    ▪ Booting up control plane ...',
    ];
    expect(code(...failed)).toBe('LeftoversFound');
    expect(code(...failed, '    ▪ Configuring RBAC rules ...')).toBe('succeeded');
    expect(code(...failed, '🏄  Done! kubectl is now configured to use "minikube" cluster')).toBe(
      'succeeded',
    );
    expect(code('    ▪ Configuring RBAC rules ...')).toBe('nothing');
  });
});
