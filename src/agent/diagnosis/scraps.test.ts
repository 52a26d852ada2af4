/** Scraps: what is left of an output when both its ends are cut off, or when what logs it has put it into a form of its own. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';
import { classify } from './words/classify.ts';

const klog = (clock: string, what: string): string => `I1121 02:34:${clock}.000001      71 ${what}`;
const refused =
  '{"level":"warn","ts":"2026-11-21T02:34:29Z","logger":"etcd-client","caller":"v3@v3.5.16/retry_interceptor.go:63","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0/10.0.0.9:2379","attempt":0,"error":"rpc error: code = FailedPrecondition desc = etcdserver: can only promote a learner member which is in sync with leader"}';
const promoting = klog('29', 'etcd.go:560] [etcd] Promoting a learner as a voting member: 5f1d2c3b4a596877');

describe('the advice on a control plane that did not come up', () => {
  const advice = [
    '\ttimed out waiting for the condition',
    '',
    'This error is likely caused by:',
    '\t- The kubelet is not running',
    '',
    'If you are on a systemd-powered system, you can try to troubleshoot the error with the following commands:',
    "\t- 'systemctl status kubelet'",
    '',
    'Additionally, a control plane component may have crashed or exited when started by the container runtime.',
    'To troubleshoot, list all containers using your preferred container runtimes CLI.',
  ];

  it('tells what was waited for, without the error', () => {
    expect(code(...advice)).toBe('ControlPlaneNotReady');
    expect(code('Unfortunately, an error has occurred:', ...advice)).toBe('ControlPlaneNotReady');
    // A join gives as much.
    expect(code(...advice.slice(1, -2))).toBe('KubeadmTimedOut');
  });

  it('tells nothing of one that ended well', () => {
    const init = [
      '[init] Using Kubernetes version: v1.30.0',
      'Your Kubernetes control-plane has initialized successfully!',
    ];
    expect(code(...init, '', 'Yesterday I had:', ...advice.slice(2, 4))).toBe('succeeded');
    expect(code(...init, '', 'Now:', 'Unfortunately, an error has occurred:', ...advice)).toBe(
      'ControlPlaneNotReady',
    );
  });

  it('behind a head of the program that ran kubeadm', () => {
    const logged = advice.map((line) => klog('30', `kubeadm.go:310] ${line}`));
    expect(code(...logged)).toBe('ControlPlaneNotReady');
  });
});

describe('what kubeadm logs again and again, and nothing else of it', () => {
  const unsigned = (clock: string): string =>
    klog(
      clock,
      'token.go:225] [discovery] The cluster-info ConfigMap does not yet contain a JWS signature for token ID "abcdef", will try again',
    );

  it('is a token that the cluster does not know', () => {
    const { result, likely } = verdict(
      unsigned('29'),
      klog('30', 'x.go:1] GET https://a:6443'),
      unsigned('34'),
    );
    expect([result, likely?.code]).toEqual(['unfinished', 'TokenUnknown']);
  });

  it('is nothing where it was logged once', () => {
    expect(code(unsigned('29'))).toBe('nothing');
  });

  it('is over where it logs that it went on', () => {
    const signed = klog('39', 'token.go:135] [discovery] Cluster info signature and contents are valid');
    const twice = [unsigned('29'), unsigned('34')];
    expect(code(...twice, signed)).toBe('nothing');
    const begun = verdict('[preflight] Running pre-flight checks', ...twice, signed);
    expect([begun.result, begun.likely]).toEqual(['unfinished', undefined]);
    expect(verdict('[preflight] Running pre-flight checks', signed, ...twice).likely?.code).toBe(
      'TokenUnknown',
    );
    expect(code('[preflight] Running pre-flight checks', 'This node has joined the cluster:', ...twice)).toBe(
      'succeeded',
    );
    const promoted = klog('39', 'etcd.go:590] [etcd] The learner was promoted as a voting member: 5f1d');
    expect(code(promoting, refused, promoted)).toBe('nothing');
    expect(
      verdict('[etcd] Creating static Pod manifest for "etcd"', refused, promoted).likely,
    ).toBeUndefined();
  });

  it('is a member of etcd that is not promoted, also where a program logs it as JSON', () => {
    const logged = [promoting, refused].map((msg) => JSON.stringify({ level: 'info', msg, time: 'now' }));
    for (const lines of [
      [promoting, refused],
      logged,
      logged.map((line) => `Nov 21 02:35:00 n1 join[7]: ${line}`),
    ])
      expect(verdict(...lines).likely?.code).toBe('EtcdLearnerNotReady');
    expect(code(refused)).toBe('nothing');
  });

  it('is one whose first record is cut off', () => {
    const again = refused.replace(
      'can only promote a learner member which is in sync with leader',
      're-configuration failed due to not enough started members',
    );
    const { likely } = verdict(`${again.slice(20)}", "${again}`, again);
    expect(likely?.code).toBe('EtcdMemberNotAdded');
  });
});

it('takes a line that a pager has cut off for a whole one', () => {
  const lines = [
    'Nov 21 02:34:29 n1 kubelet[77]: E1121 02:34:29.655747      77 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/boot>',
    'Nov 21 02:34:29 n1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE',
    '`',
    'Does anybody know?',
  ];
  expect(code(...lines)).toBe('KubeletFileMissing');
});

it('reads the records of a kubelet that a pager has cut each for itself', () => {
  const head = 'Nov 21 02:34:29 n1 kubelet[77]: ';
  const lines = [
    `${head}Flag --cgroup-driver has been deprecated, This parameter should be set via the config file by >`,
    `${head}Flag --container-runtime-endpoint has been deprecated, This parameter should be set via the co>`,
    `${head}E1121 02:34:29.772133      77 run.go:74] "command failed" err="failed to set feature gates from initial >`,
    'Nov 21 02:34:29 n1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE',
    'It was one of the gates that 1.27 has no more.',
  ];
  expect(code(...lines)).toBe('KubeletConfigInvalid');
  const other = lines.map((line) => line.replace('set feature gates from initial', 'do what it has to do'));
  expect(verdict(...other).failure?.cause).toContain('it reports: failed to do what it has to do');
});

it('takes the expired certificate of a kubelet from its line alone', () => {
  const line =
    'E1121 02:34:29.994527      77 bootstrap.go:265] part of the existing bootstrap client certificate in /etc/kubernetes/kubelet.conf is expired: 2026-05-17 04:45:09 +0000 UTC';
  expect(code('It does not come up:', '', line)).toBe('CertificateInvalid');
});

describe('a kubelet whose certificate had expired', () => {
  const head = 'Nov 21 02:34:29 n1 kubelet[77]: ';
  const expired = `${head}E1121 02:34:29.000001      77 bootstrap.go:265] part of the existing bootstrap client certificate in /etc/kubernetes/kubelet.conf is expired: 2026-05-17`;
  const own = (text: string): string => `${head}I1121 02:34:30.000001      77 kubelet.go:1] "${text}"`;

  it('has renewed it where it goes on', () => {
    const bootstrap = own('Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file');
    const sandbox = `${head}E1121 02:34:32.000001      77 kuberuntime_sandbox.go:72] "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to get sandbox image \\"r/pause:3.9\\": 503"`;
    expect(code(expired, bootstrap, own('Attempting to register node'), sandbox)).toBe('ImagePullFailed');
    expect(code(expired, own('Starting to sync pods with apiserver'))).toBe('nothing');
    expect(code(own('Starting to sync pods with apiserver'), expired)).toBe('CertificateInvalid');
  });

  it.each(['/var/lib/kubelet/kubeconfig', '/var/lib/rancher/rke2/agent/kubelet.kubeconfig'])(
    "is not kubeadm's with %s",
    (path) => {
      expect(code(expired.replace('/etc/kubernetes/kubelet.conf', path))).toBe('nothing');
    },
  );
});

describe('the log of a container that a command prints', () => {
  const error = '2026-11-21T02:34:29.269235875Z stderr F Error: unknown flag: --cloud-provider';

  it.each([
    'root@n1:/# cat /var/log/containers/kube-apiserver-n1_kube-system_kube-apiserver-c1cf7e.log',
    'root@n1:/var/log/pods/kube-system_kube-apiserver-n1_bf74# tail kube-apiserver/5.log',
    '# kubectl -n kube-system logs kube-apiserver-n1',
    '[root@n1 ~]# sudo docker logs --tail 5 k8s_kube-apiserver_kube-apiserver-n1_kube-system_c1cf_5',
    '$ crictl logs $(crictl ps -a --name kube-apiserver -q)',
  ])('is that of the container it names: %s', (command) => {
    expect(code(command, error)).toBe('ControlPlaneBadFlag');
  });

  it.each([
    ['another container', ['root@n1:/# cat /var/log/containers/proxy-n1_default_proxy-c1cf7e.log', error]],
    ['another text', ['# kubectl -n kube-system logs kube-apiserver-n1', '', 'What my program says:', error]],
    ['another command', ['# kubectl -n kube-system logs kube-apiserver-n1', '# mine', error]],
    ['another namespace', ['$ kubectl -n apps logs etcd-0 etcd', error]],
    ['what saves etcd', ['$ kubectl -n kube-system logs etcd-backup-28392-x7x', error]],
    ["Docker's own etcd", ['$ docker logs etcd', error]],
    ['what is looked for in another log', ['$ tail -f /var/log/app.log | grep etcd', error]],
    ['prose', ['more of the etcd logs:', 'error: cannot do it']],
    ['prose behind a heading', ['# more about etcd logs', 'error: this is a heading of my own']],
    ...[
      'error: You must be logged in to the server (Unauthorized)',
      'error: unknown flag: --taill',
      'error: stat /home/me/.kube/config: no such file or directory',
      'error: open /etc/kubernetes/admin.conf: permission denied',
    ].map((own): [string, string[]] => [
      "the command's own words",
      ['# kubectl -n kube-system logs kube-apiserver-n1', own],
    ]),
    ["Docker's own words", ['# docker logs k8s_etcd_etcd-n1', 'Error: No such container: k8s_etcd_etcd-n1']],
  ])('and not %s', (_, lines) => {
    expect(code(...lines)).toBe('nothing');
  });
});

describe('a join that waits for its kubelet', () => {
  const join = [
    '[preflight] Reading configuration from the cluster...',
    '[kubelet-start] Starting the kubelet',
    '[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap...',
    '[kubelet-check] Initial timeout of 40s passed.',
  ];

  it('got no certificate in time where only its advice follows', () => {
    const advice = ['', 'Unfortunately, an error has occurred:', '\ttimed out waiting for the condition', ''];
    expect(code(...join, ...advice, 'This error is likely caused by:')).toBe('KubeletCertificateNotIssued');
    const later = [
      ...join,
      '[patchnode] Uploading the CRI Socket information "x" to the Node API object "n1"',
    ];
    expect(code(...later, ...advice)).toBe('KubeadmTimedOut');
  });

  it('most likely finds it not healthy, also where the call to its port is cut off', () => {
    const seems = "[kubelet-check] It seems like the kubelet isn't running or healthy.";
    const cut = "[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost";
    expect(verdict(...join, seems, cut).likely?.code).toBe('KubeletUnhealthy');
    expect(verdict(...join).likely).toBeUndefined();
    const later = '[mark-control-plane] Marking the node n1 as control-plane';
    for (const told of [seems, cut]) expect(verdict(...join, told, later).likely).toBeUndefined();
  });
});

it('guesses what is missing where the output of the verification is cut off', () => {
  const lines = [
    '[preflight] Running pre-flight checks',
    '[preflight] The system verification failed. Printing the output from the verification:',
    'CGROUPS_CPU: missing',
    'CGROUPS_MEMORY: enabled',
    'CGROUPS_HUGETLB: missing',
  ];
  expect(verdict(...lines).likely).toMatchObject({
    code: 'CgroupsUnsuitable',
    cause: 'The kernel has no cgroup controllers cpu.',
  });
  expect(verdict(...lines.filter((line) => !/CPU/.test(line))).likely).toBeUndefined();
  // Before 1.21 pids are not asked for.
  expect(
    verdict(...lines.slice(0, 2), 'DOCKER_VERSION: 19.03', 'CGROUPS_PIDS: missing').likely,
  ).toBeUndefined();
  for (const later of [
    '\t[WARNING SystemVerification]: missing required cgroups: cpu',
    '[certs] Using certificateDir folder "/etc/kubernetes/pki"',
  ])
    expect(verdict(...lines, later).likely).toBeUndefined();
});

it('reads an init behind a reset in one command line', () => {
  const lines = [
    'sudo kubeadm reset -f && sudo kubeadm init --v=5',
    '[kubelet-start] Starting the kubelet',
    '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods',
  ];
  expect(verdict(...lines).result).toBe('unfinished');
  expect(code('sudo kubeadm reset -f', ...lines.slice(1))).toBe('nothing');
});

it('finds the error of a failed result in which no phase is named', () => {
  const result = (cmd: string): string =>
    `fatal: [n1]: FAILED! => {"changed": true, "cmd": ["kubeadm", "${cmd}"], "rc": 1, "stderr": "unable to fetch file. URL: \\"https://dl.k8s.io/release/stable-1.99..txt\\", status: 404 Not Found", "stdout": ""}`;
  expect(code(result('init'))).toBe('ResourceNotFetched');
  expect(code(result('token'))).toBe('nothing');
});

it('reads an error that a logger has put its words in front of, and the hint without any', () => {
  const lines = [
    '09:18:38 [INFO] [run.go:13] [10.0.0.9:22] kubeadm init --config=/root/kubeadm.yaml',
    '09:18:38 [DEBG] [run.go:25] [10.0.0.9:22]result is: could not interpret GroupVersionKind; unmarshal error: error converting YAML to JSON: yaml: line 16: mapping values are not allowed in this context',
    HINT,
    '',
    '09:18:38 [EROR] [run.go:28] [10.0.0.9:22] Process exited with status 1',
  ];
  expect(code(...lines)).toBe('KubeadmConfigInvalid');
});

describe('a hint without a prefix', () => {
  const by = (program: string, text: string): string => `Nov 21 02:34:28 n1 ${program}: ${text}`;
  const app = by('myapp[99]', 'cannot open the database');
  const swap = '\t[ERROR Swap]: running with swap on is not supported. Please disable swap';
  const fatal = 'error execution phase preflight: [preflight] Some fatal errors occurred:';

  it.each([
    ['SwapEnabled', [by('cloud-init[7]', fatal), by('cloud-init[7]', swap), app]],
    [
      'succeeded',
      ['[preflight] Running pre-flight checks', 'This node has joined the cluster:']
        .map((text) => by('cloud-init[7]', text))
        .concat(app),
    ],
    ['nothing', [by('sshd[99]', 'Failed password for root')]],
    ['nothing', ['10:00:01 [INFO] running apt', '10:00:02 [INFO] curl: (6) Could not resolve host']],
  ])('ends what kubeadm said, and not what another program did: %s', (wanted, lines) => {
    expect(code(...lines, HINT)).toBe(wanted);
  });
});

describe('the middle of an error, without its phase', () => {
  const refused = 'dial tcp 10.0.0.9:6443: connect: connection refused';

  it('tells whom kubeadm asked', () => {
    const asked = (path: string): string =>
      `Get "https://10.0.0.9:6443/api/v1/${path}?timeout=10s": ${refused}`;
    const found = asked('namespaces/kube-public/configmaps/cluster-info');
    expect(code(found)).toBe('ApiServerUnreachable');
    // Every client has requests such as this one.
    expect(code(asked('nodes/n1'))).toBe('nothing');
    expect(code(`Nov 23 10:00:00 n1 agent[7]: ${found}`)).toBe('nothing');
  });

  it.each(['', 'Nov 23 10:00:00 n1 cloud-init[9]: '])(
    'asks again where somebody broke its line: %s',
    (prefix) => {
      const tries = [
        `${prefix}I1123 10:00:01.000000    9 token.go:217] [discovery] Failed to request cluster-info, will try again:`,
        `    Get "https://10.0.0.9:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": ${refused}`,
      ];
      const began = [`${prefix}[preflight] Running pre-flight checks`, ...tries, ...tries];
      expect(code(...began)).toBe('unfinished');
      const joined = `${prefix}This node has joined the cluster:`;
      expect(code(...began, `${prefix}[kubelet-start] Starting the kubelet`, joined)).toBe('succeeded');
      expect(code(...tries.map((line) => line.trim()), joined)).toBe('succeeded');
    },
  );

  it('tells that its own API server did not come up', () => {
    const found = (why: string) =>
      `could not bootstrap the admin user in file admin.conf: unable to create ClusterRoleBinding: ${why}`;
    expect(code(found(refused))).toBe('ControlPlaneNotReady');
    expect(code(found('context deadline exceeded'))).toBe('ControlPlaneNotReady');
    const post = 'Post "https://cp.example:6443/apis/x?timeout=10s": ';
    const other = `${post}dial tcp: lookup cp.example on 10.0.0.53:53: no such host`;
    expect(code(found(other))).toBe('ApiServerNameUnresolved');
    expect(code(found(`${post}proxyconnect tcp: ${refused}`))).toBe('ApiServerUnreachable');
    expect(code(found('clusterrolebindings.rbac.authorization.k8s.io "x" already exists'))).toBe(
      'Unclassified',
    );
  });
});

describe('what is said is no more than what was read', () => {
  const end = (stderr: string): Parameters<typeof classify>[0] => ({
    verb: 'join',
    stdout: '',
    stderr,
    exitStatus: 1,
  });

  it('of interfaces that could not be listed', () => {
    expect(classify(end('route ip+net: netlinkrib: too many open files')).code).toBe('Unclassified');
    expect(classify(end('route ip+net: no such network interface')).code).toBe('NoUsableAddress');
  });

  it('of a server that knows no cluster-info', () => {
    const { code: found, cause } = classify(
      end(
        "error execution phase preflight: couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: the server could not find the requested resource",
      ),
    );
    expect(found).toBe('ApiServerUnavailable');
    expect(cause).toContain('or one that has not started yet');
  });
});
