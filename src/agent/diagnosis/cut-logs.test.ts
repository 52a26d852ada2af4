/** Logs that end before the error, and scripts within pasted text. */
import { describe, expect, it } from 'vitest';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';
import { diagnoseLog } from './diagnose-log.ts';
import { withStep } from './transcript/certain.ts';
import { readLines } from './transcript/read-lines.ts';

describe('a script within what somebody has pasted is no output', () => {
  const comment = '#     [ERROR SystemVerification]: unsupported kernel release: 6.0.0-rc1+';

  it.each([
    [
      'branches',
      ['# Ignored, since it says:', comment, 'case $RELEASE in', '    "1.30")', '        CNI="1.4"'],
    ],
    ['its first line', ['#!/bin/bash', '', '# Some kernels are refused:', comment, 'install_all']],
    ['a condition', ['if [ "$1" = join ]; then', comment, '  IGNORED=SystemVerification', 'fi']],
    [
      'what it prints',
      ['if kubeadm_join; then', 'echo "error execution phase preflight: Unauthorized"', 'fi'],
    ],
    ['what it looks for', ['grep -q "error execution phase preflight: Unauthorized" join.log']],
  ])('known by %s', (_, lines) => {
    expect(code(...lines)).toBe('nothing');
  });

  it('however long it is', () => {
    expect(code(`#!/bin/bash\n${'# a\n'.repeat(200_000)}`)).toBe('nothing');
  });

  it('while the output beside it counts', () => {
    const script = ['```sh', '#!/bin/sh', comment, 'case $RELEASE in', '  1.30)', '```'];
    const output = [
      '```',
      '[preflight] Running pre-flight checks',
      '[ERROR Swap]: running with swap on',
      HINT,
    ];
    expect(code(...script, ...output)).toBe('SwapEnabled');
    expect(code(...output, '```', ...script)).toBe('SwapEnabled');
  });
});

describe('a log that ends before the error', () => {
  const join = ['[preflight] Running pre-flight checks', '[kubelet-start] Starting the kubelet'];
  const learner = (time: string): string =>
    `{"level":"warn","ts":"2026-11-21T02:34:${time}Z","logger":"etcd-client","caller":"v3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0/10.0.0.9:2379","attempt":0,"error":"rpc error: code = FailedPrecondition desc = etcdserver: can only promote a learner member which is in sync with leader"}`;
  const discovery = (why: string): string =>
    `I1121 02:34:29.000001    7 token.go:217] [discovery] Retrying due to error: ${why}`;

  it.each([
    [
      'EtcdLearnerNotReady',
      [...join, '[etcd] Announced new etcd member joining', learner('29'), learner('31')],
    ],
    [
      'EtcdLearnerNotReady',
      [...join, '[etcd] Announced new etcd member joining', learner('29'), learner('31').slice(0, -90)],
    ],
    [
      'ApiServerUnreachable',
      [
        '[preflight] Running pre-flight checks',
        discovery(
          'failed to request the cluster-info ConfigMap: Get "https://10.0.0.9:6443/api": dial tcp 10.0.0.9:6443: connect: no route to host',
        ),
      ],
    ],
    [
      'TokenUnknown',
      [
        '[preflight] Running pre-flight checks.',
        '[discovery] Failed to connect to API Server "10.0.0.1:6443": there is no JWS signed token in the cluster-info ConfigMap. This token id "aec65f" is invalid for this cluster, can\'t connect',
      ],
    ],
    ['EtcdLearnerNotReady', [learner('29'), learner('31')]],
    [
      'EtcdMemberNotAdded',
      ['23', '32'].map(
        (second) =>
          `[2026-11-02 14:39:${second}] {"level":"warn","ts":"2026-11-02T14:39:${second}.907Z","caller":"clientv3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","target":"endpoint://client-e1/10.0.0.9:2379","attempt":0,"error":"rpc error: code = Unavailable desc = etcdserver: unhealthy cluster"}`,
      ),
    ],
    [
      'TokenUnknown',
      [
        '[preflight] Running pre-flight checks',
        discovery('could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"'),
      ],
    ],
    [
      'CgroupDriverMismatch',
      [
        ...join,
        'E1121 02:34:30.000001    9 run.go:74] "command failed" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""',
      ],
    ],
    [
      'KubeletUnhealthy',
      [
        ...join,
        '[kubelet-check] The HTTP call equal to \'curl -sSL http://localhost:10248/healthz\' failed with error: Get "http://localhost:10248/healthz": context deadline exceeded.',
      ],
    ],
  ])('most likely is %s', (wanted, lines) => {
    const { result, failure, likely } = verdict(...lines);
    expect(failure?.code ?? likely?.code).toBe(wanted);
    if (failure === undefined) expect(result).toBe('unfinished');
  });

  it('most likely is the control plane, for which it has waited long', () => {
    const waits =
      '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods from directory "/etc/kubernetes/manifests". This can take up to 4m0s';
    const long = '[kubelet-check] Initial timeout of 40s passed.';
    expect(verdict(...join, waits, long, '', 'What is wrong?').likely?.code).toBe('ControlPlaneNotReady');
    expect(verdict(...join, waits, long, '[apiclient] All control plane components are healthy').likely).toBe(
      undefined,
    );
  });

  it('is none of kubeadm where somebody adds a member of etcd by hand', () => {
    expect(code('# etcdctl member promote 8211f1d0f64f3269', learner('29'))).toBe('nothing');
  });

  it('has no likely cause where nothing went wrong so far', () => {
    expect(verdict(...join)).toMatchObject({ result: 'unfinished' });
    expect(verdict(...join).likely).toBeUndefined();
  });

  it('is read up to its last line that says something', () => {
    expect(verdict(...join, '', '').attempts.at(-1)?.last.number).toBe(join.length);
  });

  it('is that of the kubelet whose last call is cut off', () => {
    const check = '[kubelet-check] ';
    const lines = [
      `${check}It seems like the kubelet isn't running or healthy.`,
      `${check}The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/heal`,
    ];
    expect(verdict(...lines).failure).toMatchObject({
      code: 'KubeletUnhealthy',
      cause: expect.stringContaining('the reason is cut off'),
    });
  });

  it('tells the error before it, of which only the error is there', () => {
    const wait = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
    const again = ['[init] Using Kubernetes version: v1.31.0', '[preflight] Running pre-flight checks'];
    const pulls = '[preflight] Pulling images required for setting up a Kubernetes cluster';
    expect(code('stderr:', wait, HINT, 'stdout:', ...again, pulls)).toBe('ControlPlaneNotReady');
    expect(code('stderr:', wait, HINT, 'stdout:', ...again, '[certs] Using certificateDir folder "/x"')).toBe(
      'unfinished',
    );
  });

  it('tells the error before it, where the last line of what is told again is cut', () => {
    const begin = ['[init] Using Kubernetes version: v1.31.0', '[preflight] Running pre-flight checks'];
    const findings = [
      'error execution phase preflight: [preflight] Some fatal errors occurred:',
      '\t[ERROR Swap]: running with swap on is not supported',
    ];
    const again = ['stdout:', begin[0] ?? '', '[preflight] Running pre-fl'];
    expect(code(...begin, 'stderr:', ...findings, HINT, ...again)).toBe('SwapEnabled');
    expect(code(...begin, 'stderr:', ...findings, HINT, ...again, '[certs] Using')).toBe('unfinished');
  });

  it('tells the kubelet of which it speaks first, before the whole log that is cut off', () => {
    const call =
      "[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get http://localhost:10248/healthz: dial tcp 127.0.0.1:10248: connect: connection refused.";
    const log = ['[init] Using Kubernetes version: v1.28.1', '[preflight] Running pre-flight checks'];
    const pulls = '[preflight] Pulling images required for setting up a Kubernetes cluster';
    expect(code('It says:', call, '', 'Detailed log', ...log, pulls)).toBe('KubeletUnhealthy');
  });

  it('of Ansible tells that the command took too long', () => {
    const result =
      'fatal: [n1]: FAILED! => {"changed": true, "cmd": ["timeout", "300s", "/usr/local/bin/kubeadm", "init"], "msg": "non-zero return code", "rc": 124, "stderr": "W1121 02:34:29.000001    7 utils.go:69] The recommended value';
    expect(code(result)).toBe('KubeadmInterrupted');
    expect(code(result.replace('"init"', '"reset"'))).toBe('nothing');
    expect(code(result.replace('124', '1'))).toBe('nothing');
  });

  it('takes no status of a command from the same line of another file', () => {
    const logs = readLines('one', '+ kubeadm init').concat(readLines('two', 'exit status 137'));
    expect(diagnoseLog(logs).result).toBe('nothing');
    expect(logs.map(({ number }) => number)).toEqual([1, 1]);
  });
});

it('kubeadm has given up where only its advice is left', () => {
  const advice =
    "- 'journalctl -xeu kubelet'\\n\\nAdditionally, a control plane component may have crashed or exited when started by the container runtime.\\nTo troubleshoot, list all containers using your preferred container runtimes CLI.";
  expect(code(`${advice}", "stdout_lines": ["[init] Using Kubernetes version: v1.32.8", "[prefl`)).toBe(
    'ControlPlaneNotReady',
  );
});

describe('an error that is cut off where it is told again', () => {
  const error =
    "error execution phase kubeconfig/kubelet: couldn't create a kubeconfig; the CA files couldn't be loaded: failed to load certificate: couldn't load the certificate file /etc/kubernetes/pki/ca.crt: open /etc/kubernetes/pki/ca.crt: no such file or directory";
  const step = '[etcd] Creating static Pod manifest for local etcd in "/etc/kubernetes/manifests"';

  it('is that error', () => {
    expect(code(error, HINT, step, error.slice(0, 110))).toBe('CertificatesMissing');
  });

  it('may be another one, where only what many errors share is there', () => {
    const shared = "error execution phase preflight: couldn't validate the identity of the API Server: ";
    const again = ['[preflight] Running pre-flight checks', shared];
    const unknown = `${shared}could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"`;
    expect(code('[preflight] Running pre-flight checks', unknown, HINT, ...again)).toBe('Unclassified');
  });

  it('is that before it, where what follows is from the middle of a run that has not come so far', () => {
    const before = [
      '[check-etcd] Checking that the etcd cluster is healthy',
      'error execution phase check-etcd: etcd cluster is not healthy: failed to dial endpoint https://192.0.2.5:2379 with maintenance client: context deadline exceeded',
      HINT,
    ];
    const run = '[control-plane] Creating static Pod manifest for "kube-scheduler"';
    expect(code(...before, '', 'The whole of it:', '...', run)).toBe('EtcdUnhealthy');
    expect(
      code(
        ...before,
        '',
        run,
        '[check-etcd] Checking that the etcd cluster is healthy',
        '[etcd] Announced new etcd member',
      ),
    ).toBe('unfinished');
  });
});

describe('a trace that ends before the phase', () => {
  const frames = [
    'k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/init.runUploadKubeletConfig',
    '\tk8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/init/uploadconfig.go:134',
    'k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow.(*Runner).Run.func1',
    '\tk8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow/runner.go:261',
  ];

  it('has its cause first, also in Markdown and where a terminal fills its lines', () => {
    const lines = ['nodes "n1" not found', 'error writing CRISocket for this node', ...frames];
    expect(code(...lines)).toBe('NodeNotRegistered');
    expect(code(`\`${lines[0]}`, ...lines.slice(1))).toBe('NodeNotRegistered');
    expect(code(...lines.map((line) => line.padEnd(170)))).toBe('NodeNotRegistered');
  });

  it('stands behind the advice, which somebody has indented', () => {
    const advice = [
      '\tTo troubleshoot, list all containers using your preferred container runtimes CLI.',
      '\tHere is one example how you may list all Kubernetes containers running in docker:',
      "\t\t- 'docker ps -a | grep kube | grep -v pause'",
      '\t\tOnce you have found the failing container, you can inspect its logs with:',
      "\t\t- 'docker logs CONTAINERID'",
    ];
    const wait = 'k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/init.runWaitControlPlanePhase';
    expect(code(...advice, "couldn't initialize a Kubernetes cluster", wait, ...frames.slice(1))).toBe(
      'ControlPlaneNotReady',
    );
  });

  it.each([
    ['before its last frames', [...frames, 'error execution phase control-plane-prepare/download-certs']],
    ['within its first frame', ['k8s.io/kubernetes/cmd/kubeadm/app/phases/copycerts.Down', '']],
    [
      'behind the name of its first function',
      ['k8s.io/kubernetes/cmd/kubeadm/app/phases/copycerts.DownloadCerts'],
    ],
  ])('is cut off %s', (_, end) => {
    const lacking =
      'the Secret does not include the required certificate or key - name: external-etcd.crt, path: /etc/pki/etcd.pem';
    expect(code('[preflight] Running pre-flight checks', lacking, ...end)).toBe('CertificateSecretMissing');
  });

  it('has no reason but its phase', () => {
    expect(code('error execution phase wait-control-plane', ...frames)).toBe('ControlPlaneNotReady');
  });
});

describe('findings that', () => {
  const head = 'error execution phase preflight: [preflight] Some fatal errors occurred:';
  const finding = '[ERROR Port-10250]: Port 10250 is in use';

  it('end within the name of the next one', () => {
    const left =
      '[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists';
    expect(verdict(head, `\t${left}`, '\t[ERROR FileAvailable--etc-kub').failure?.cause).toBe(
      '/etc/kubernetes/kubelet.conf already exists.',
    );
  });

  it('rsyslog has escaped', () => {
    const log = [head, `#011${finding}`].map((line) => `Nov 21 02:34:29 n1 deploy[7]: ${line}`);
    expect(code(...log)).toBe('PortInUse');
  });

  it('stand in a list cut out of a result', () => {
    const list = ['"stderr_lines": [', `"${head}",`, `"\\t${finding}",`, '"\\t[ERROR FileAvail'];
    expect(code('"rc": 1,', `"stderr": "${head}\\n\\t${finding}\\n${HINT}",`, ...list)).toBe('PortInUse');
  });

  it('an old kubeadm prints to the other stream', () => {
    const stderr = `[preflight] Some fatal errors occurred:\\n\\t${finding}`;
    const stdout = '[init] Using Kubernetes version: v1.9.3\\n[preflight] Running pre-flight checks.';
    expect(code(`fatal: [n1]: FAILED! => {"rc": 2, "stderr": "${stderr}", "stdout": "${stdout}"}`)).toBe(
      'PortInUse',
    );
  });
});

describe('an excerpt that was cut within the name of its first step', () => {
  const call = `The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp [::1]:10248: connect: connection refused.`;

  it.each(['kubelet-check] ', 'eck] ', '] '])('%s', (rest) => {
    const gaveUp = ['Unfortunately, an error has occurred:', '\ttimed out waiting for the condition'];
    const advice = ['This error is likely caused by:', '\t- The kubelet is not running'];
    expect(code(`${rest}${call}`, '', ...gaveUp, '', ...advice)).toBe('KubeletUnhealthy');
  });

  it('while the name of another step, or of a program, stays what it is', () => {
    expect(withStep('[x] Starting the kubelet')).toBe('[x] Starting the kubelet');
    expect(withStep(`init] ${call}`)).toBe(`init] ${call}`);
    expect(withStep('rt] Starting the agent')).toBe('rt] Starting the agent');
  });
});

describe('an error that a mail program has wrapped at a word', () => {
  it.each([
    [
      'KubeadmConfigInvalid',
      ['no InitConfiguration or ClusterConfiguration kind was found in the configuration', 'file', HINT],
    ],
    [
      'PermissionDenied',
      [
        'error execution phase upload-config/kubeadm: could not bootstrap the admin user in file admin.conf: the',
        'ClusterRoleBinding for the kubeadm:cluster-admins Group is missing but there is no super-admin.conf to',
        'create it',
        HINT,
      ],
    ],
  ])('%s', (wanted, lines) => {
    expect(code('[preflight] Running pre-flight checks', ...lines)).toBe(wanted);
  });
});

it('the end of what Ansible tells of an error is one, with the output behind it', () => {
  const step = '[etcd] Announced new etcd member joining to the existing etcd cluster';
  const rest =
    'ting local etcd static pod manifest file: etcdserver: can only promote a learner member which is';
  const keys = `"stderr_lines": ["x"], "stdout": "[preflight] Running pre-flight checks\\n${step}"`;
  const { failure, attempts } = verdict(
    `${rest} in sync with leader\\n${HINT}", ${keys}, "stdout_lines": []}`,
  );
  expect(failure?.code).toBe('EtcdLearnerNotReady');
  expect(attempts).toHaveLength(1);
});

describe('an error that has lost its reason has that of what was tried again before it', () => {
  const PREFLIGHT = '[preflight] Running pre-flight checks';
  const logged = (text: string): string => `I0601 10:00:00.000001    1234 token.go:230] [discovery] ${text}`;
  const UNSIGNED = logged(
    'The cluster-info ConfigMap does not yet contain a JWS signature for token ID "abcdef", will try again',
  );
  const AWAY = logged(
    'Failed to request cluster-info, will try again: Get "https://10.0.0.9:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp 10.0.0.9:6443: connect: no route to host',
  );
  const IDENTITY = "error execution phase preflight: couldn't validate the identity of the API Server";

  it.each([
    ['TokenUnknown', [PREFLIGHT, UNSIGNED, UNSIGNED, IDENTITY, HINT]],
    ['TokenUnknown', [PREFLIGHT, AWAY, UNSIGNED, 'error execution phase preflight', HINT]],
    ['ApiServerUnreachable', [PREFLIGHT, UNSIGNED, AWAY, IDENTITY, HINT]],
  ])('%s', (wanted, lines) => {
    expect(code(...lines)).toBe(wanted);
  });

  it('and where it only says that it took too long', () => {
    const { failure } = verdict(PREFLIGHT, AWAY, `${IDENTITY}: timed out waiting for the condition`, HINT);
    expect(failure).toMatchObject({
      code: 'ApiServerUnreachable',
      cause: expect.stringContaining('no route to host'),
      phase: 'preflight',
      lines: [expect.stringContaining('timed out')],
    });
  });

  it('but not where it went on, or has a reason of its own', () => {
    const found = logged('Successfully established connection with API Server "10.0.0.9:6443"');
    expect(code(PREFLIGHT, UNSIGNED, found, 'error execution phase preflight', HINT)).toBe('Unclassified');
    expect(code(PREFLIGHT, UNSIGNED, `${IDENTITY}: context canceled`, HINT)).not.toBe('TokenUnknown');
  });

  it('or that of the kubelet whose health was asked for', () => {
    const call =
      '[kubelet-check] The HTTP call equal to \'curl -sSL http://localhost:10248/healthz\' failed with error: Get "http://localhost:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused.';
    expect(
      code('[wait-control-plane] Waiting for it', call, 'error execution phase wait-control-plane'),
    ).toBe('KubeletUnhealthy');
  });
});
