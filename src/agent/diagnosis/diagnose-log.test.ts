import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readFixtures } from '../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { code, HINT, verdict } from '../../../test/support/logs/log-verdict.ts';
import { diagnoseLog, type LogVerdict } from './diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

const diagnose = (text: string): LogVerdict => diagnoseLog(readLines('log', text));
const CLOUD_INIT =
  "Cloud-init v. 23.4 running 'modules:final' at Fri, 21 Nov 2026 02:34:11 +0000. Up 21.07 seconds.";
const FAILED =
  '2026-11-21 02:36:11,123 - cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)';

/** As a terminal or a log shows it: both streams in one. An interrupted kubeadm leaves only its exit status, which no log has. */
const fixtures = readFixtures()
  .filter(({ code }) => code !== 'KubeadmInterrupted')
  .map((fixture) => ({
    ...fixture,
    text: `+ kubeadm ${fixture.verb} --config /run/kubeadm/kubeadm.yaml\n${fixture.stdout}\n${fixture.stderr.trimEnd()}\n${fixture.stderr.includes(HINT) ? '' : `${HINT}\n`}`,
  }));

const prefixed = (prefix: string) => (text: string) =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
const DRESSES: [name: string, dress: (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in cloud-init-output.log', (text) => `${CLOUD_INIT}\n${text}\n${FAILED}\n`],
  ['in the journal', prefixed('Nov 21 02:34:29 n1 cloud-init[1234]: ')],
  ['in the journal with ISO time', prefixed('2026-11-21T02:34:29+0000 n1 cloud-init[1234]: ')],
  ['on the serial console', prefixed('[   34.123456] cloud-init[1234]: ')],
  ['in a container log', prefixed('2026-11-21T02:34:29.123456789Z stderr F ')],
  ['indented', prefixed('    ')],
  ['as comments', prefixed('# ')],
  ['with a time in front', prefixed('[2026-11-21T02:34:29Z] ')],
  [
    'with colours',
    (text) =>
      text
        .split('\n')
        .map((line) => `\u001b[0;31m${line}\u001b[0m`)
        .join('\n'),
  ],
  ['with Windows line ends', (text) => text.replaceAll('\n', '\r\n')],
  [
    'with invalid bytes',
    (text) => Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(text)]).toString('utf8'),
  ],
];

describe.each(DRESSES)('a failure %s', (_, dress) => {
  it.each(fixtures)('$name is $code', ({ text, code, phase }) => {
    const verdict = diagnose(dress(text));
    expect(verdict.result).toBe('failed');
    expect(verdict.failure?.code).toBe(code);
    expect(verdict.failure?.phase).toBe(phase);
    expect(verdict.telling.length).toBeGreaterThan(0);
  });
});

describe('a log', () => {
  it('is read though a program put a prefix of its own in front', () => {
    const [fixture] = fixtures.filter(({ name }) => name === 'join-1.20-token-unknown.txt');
    const text = prefixed('worker-3 | ')(
      `[preflight] Running pre-flight checks\n${fixture?.stderr.trimEnd()}\n${HINT}`,
    );
    expect(diagnose(text).failure?.code).toBe('TokenUnknown');
  });

  it('is read out of a line of JSON, as Ansible prints it', () => {
    const stderr =
      'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR Swap]: running with swap on is not supported. Please disable swap\n[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`\n' +
      HINT;
    const text = `fatal: [node1]: FAILED! => ${JSON.stringify({ changed: true, cmd: ['kubeadm', 'init'], rc: 1, stderr, stdout: '[init] Using Kubernetes version: v1.27.3\n[preflight] Running pre-flight checks' })}`;
    expect(diagnose(text).failure?.code).toBe('SwapEnabled');
  });

  it('tells the last attempt, lists the others, and names lines', () => {
    const first = `[preflight] Running pre-flight checks\nerror execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"\n${HINT}`;
    const second = `[preflight] Running pre-flight checks\nerror execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR FileAvailable--etc-kubernetes-pki-ca.crt]: /etc/kubernetes/pki/ca.crt already exists\n${HINT}`;
    const verdict = diagnose(`${CLOUD_INIT}\n${first}\n${second}\n${FAILED}\n`);
    expect(verdict.failure?.code).toBe('LeftoversFound');
    expect(verdict.attempts.map(({ failure }) => failure?.code)).toEqual(['TokenUnknown', 'LeftoversFound']);
    expect(verdict.telling.map(({ number }) => number)).toEqual([7]);
  });

  it.each([
    ['/usr/bin/kubeadm', 'bash: line 1: /usr/bin/kubeadm: Permission denied'],
    ['kubeadm', '/var/lib/cloud/instance/scripts/runcmd: 7: kubeadm: Permission denied'],
  ])('says of a kubeadm that is not executable that it is %s', (path, line) => {
    expect(diagnose(`${CLOUD_INIT}\n${line}\n${FAILED}\n`).failure).toMatchObject({
      code: 'KubeadmNotFound',
      cause: `${path} cannot be executed: permission denied.`,
    });
    expect(diagnose(`tee: ${path}: Permission denied\n`).result).toBe('nothing');
  });

  it('of a join that came right in the end is no failure', () => {
    const failed = `[preflight] Running pre-flight checks\nerror execution phase preflight: unable to fetch the kubeadm-config ConfigMap: failed to get config map: Unauthorized\n${HINT}`;
    const good =
      '[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet\n\nThis node has joined the cluster:\n* Certificate signing request was sent';
    expect(diagnose(`${failed}\n${good}\n`)).toMatchObject({
      result: 'succeeded',
      attempts: [{ result: 'failed' }, { result: 'succeeded' }],
    });
  });

  it('takes the cause from the kubelet where the log has its lines', () => {
    const [fixture] = fixtures.filter(({ name }) => name === 'join-1.31-kubelet-dead.txt');
    const telling = readLogFixtures('kubelet').filter(
      ({ code, cause }) => code !== 'KubeletCrashing' && !cause.endsWith('config.yaml'),
    );
    for (const log of telling) {
      const verdict = diagnose(`${fixture?.text}\n${log.text}`);
      expect(verdict.failure).toMatchObject({ code: log.code, phase: 'kubelet-start' });
    }
  });

  it('takes no end of a kubelet for a cause that had no configuration yet', () => {
    const [fixture] = fixtures.filter(({ name }) => name === 'join-1.31-kubelet-dead.txt');
    const [early] = readLogFixtures('kubelet').filter(({ cause }) => cause.endsWith('config.yaml'));
    expect(diagnose(`${early?.text}${fixture?.text}`).failure?.code).toBe('KubeletUnhealthy');
    expect(diagnose(`${fixture?.text}${early?.text}`).failure?.code).toBe('KubeletUnhealthy');
    expect(diagnose(early?.text ?? '').failure?.code).toBe('KubeletFileMissing');
  });

  it('takes the cause from the container runtime where the log has its lines', () => {
    const [down] = fixtures.filter(({ name }) => name === 'join-1.27-runtime-down.txt');
    const [toml] = readLogFixtures('runtime');
    expect(diagnose(`${toml?.text}\n${down?.text}`).failure).toMatchObject({
      code: 'ContainerRuntimeUnsuitable',
      cause: expect.stringContaining('at line 12, column 3'),
    });
  });

  it('shows that kubeadm waits in vain while it still waits', () => {
    const [flag] = readLogFixtures('kubelet').filter(({ cause }) => cause === '--network-plugin');
    const waits =
      '[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet\n[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap...\n';
    expect(diagnose(`${waits}${flag?.text.repeat(2)}`).result).toBe('unfinished');
    expect(diagnose(`${waits}${flag?.text.repeat(3)}`).failure?.code).toBe('KubeletBadFlag');
  });

  it('says that a signal ended kubeadm where the shell says so', () => {
    const verdict = diagnose(
      '[init] Using Kubernetes version: v1.31.0\n[preflight] Running pre-flight checks\n[certs] Using certificateDir folder "/etc/kubernetes/pki"\n/var/lib/cloud/instance/scripts/runcmd: line 7:  1234 Killed                  kubeadm init --config /run/kubeadm/kubeadm.yaml\n',
    );
    expect(verdict.failure).toMatchObject({
      code: 'KubeadmInterrupted',
      cause: expect.stringContaining('SIGKILL'),
    });
  });

  it('tells the failure before a retry that is cut off before it has got as far', () => {
    const [late] = fixtures.filter(({ name }) => name === 'join-1.20-token-unknown.txt');
    const retry = `${late?.text}+ kubeadm join --config /run/kubeadm/kubeadm.yaml\n[preflight] Running pre-flight checks\n`;
    expect(diagnose(retry)).toMatchObject({ result: 'failed', failure: { code: 'TokenUnknown' } });
    const further = `${retry}[kubelet-start] Starting the kubelet\n`;
    expect(diagnose(further)).toMatchObject({ result: 'unfinished', attempts: [{}, {}] });
  });

  it('says that kubeadm is not there', () => {
    const verdict = diagnose(
      `${CLOUD_INIT}\n/var/lib/cloud/instance/scripts/runcmd: line 3: kubeadm: command not found\n${FAILED}`,
    );
    expect(verdict).toMatchObject({
      result: 'failed',
      failure: { code: 'KubeadmNotFound' },
      telling: [{ number: 2 }],
    });
  });
});

const NEGATIVE = fileURLToPath(new URL('./fixtures/negative', import.meta.url));

describe('what is no failure of kubeadm gets no code', () => {
  it.each(readdirSync(NEGATIVE))('%s', (name) => {
    const text = readFileSync(`${NEGATIVE}/${name}`, 'utf8');
    const [head = '', ...rest] = text.split('\n');
    const wanted = /^# result: (\w+)/.exec(head)?.[1];
    const verdict = diagnose(rest.join('\n'));
    expect(verdict.failure).toBeUndefined();
    expect(verdict.result).toBe(wanted);
  });

  it.each(fixtures)('half of $name', ({ stdout }) => {
    // Up to the error nothing is lost yet: kubeadm repeats its complaints about a kubelet that comes up late.
    const [before = ''] = stdout.split(/Unfortunately, an error|^\[[a-z-]+-check\] .* is not healthy after/m);
    const verdict = diagnose(`[preflight] Running pre-flight checks\n${before}`);
    expect(verdict.failure).toBeUndefined();
    expect(['unfinished', 'succeeded']).toContain(verdict.result);
  });
});

it('a result of Ansible may be broken between its strings and within them', () => {
  const lines = [
    'fatal: [n1]: FAILED! => {"changed": true, "cmd": ["timeout", "120s", "/usr/local/bin/kubeadm", "join"], ',
    '"delta": "0:01:00", "msg": "non-zero return code", "rc": 1,',
    ' "stderr": "\\t[WARNING DirAvailable--etc-kubernetes-manifests]: ',
    " /etc/kubernetes/manifests is not empty\\nerror execution phase preflight: couldn't validate the identity of the API Server:",
    ' Get \\"https://10.0.0.9:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s\\": ',
    ' net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    ` \\n${HINT}", "stderr_lines": `,
    ' ["error execution phase preflight: couldn\'t validate the identity of the API Server:',
    ' Get \\"https://10.0.0.9:64',
  ];
  expect(code(...lines)).toBe('ApiServerUnreachable');
});

it('a sentence about the kubelet is no line of its log', () => {
  expect(code('kubelet says failed to parse kubelet flag: unknown flag: --network-plugin, why?')).toBe(
    'nothing',
  );
  expect(code('If it says "failed to parse kubelet flag: unknown flag: --network-plugin", remove it.')).toBe(
    'nothing',
  );
});

it('a line of its journal may be quoted', () => {
  expect(
    code(
      '"Apr 18 07:26:58 n1 kubelet[7]: E0418 07:26:58.656108 7 kubelet_node_status.go:96] "Unable to register node with API server" err="Post "[https://lb.example.com:443/api/v1/nodes](x)": tls: failed to verify certificate: x509: certificate signed by unknown authority" node="n1"".',
    ),
  ).toBe('ApiServerCertificateInvalid');
});

it('what a kubelet cannot read may be cut off', () => {
  expect(
    code(
      'Mar 04 19:14:50 n1 kubelet[7]: F0304 19:14:50.702454    7 server.go:198] failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file "/var/lib/kubelet/>',
    ),
  ).toBe('KubeletFileMissing');
});

describe('what people paste when kubeadm has done its work', () => {
  const loop =
    '[FATAL] plugin/loop: Loop (127.0.0.1:37926 -> :53) detected for zone ".", see https://coredns.io/plugins/loop#troubleshooting.';

  it('CoreDNS that asks itself', () => {
    expect(code('$ kubectl logs -n kube-system coredns-0', `2026-11-21T02:34:29.000Z ${loop}`)).toBe(
      'CoreDnsLoop',
    );
    expect(
      code('2018/10/09 10:42:05 [FATAL] plugin/loop: Seen "HINFO IN 1.2." more than twice, loop detected'),
    ).toBe('CoreDnsLoop');
    expect(
      code('[preflight] Running pre-flight checks', '[ERROR Swap]: running with swap on', HINT, loop),
    ).toBe('SwapEnabled');
  });

  it('kubectl that is not root', () => {
    const said =
      'error: error loading config file "/etc/kubernetes/admin.conf": open /etc/kubernetes/admin.conf: permission denied';
    expect(verdict('$ kubectl get nodes', said).failure).toMatchObject({
      code: 'FileAccessDenied',
      remedy: expect.stringContaining('~/.kube/config'),
    });
  });

  it('a container runtime that may not start its helper', () => {
    expect(
      code(
        '- remote_runtime.go:105] RunPodSandbox from runtime service failed: rpc error: code = Unknown desc = fork/exec /usr/libexec/crio/conmon: permission denied',
      ),
    ).toBe('FileAccessDenied');
  });

  it('a component that SELinux keeps from its certificates', () => {
    expect(
      verdict(
        'kube-apiserver-n1: Error: open /etc/kubernetes/pki/apiserver.crt: permission denied'.replace(
          'kube-apiserver-n1: ',
          'Nov 21 02:34:29 n1 kube-apiserver[7]: ',
        ),
      ).failure,
    ).toMatchObject({ code: 'FileAccessDenied', remedy: expect.stringContaining('SELinux') });
  });
});

it('a member of etcd whose certificate has not its address is no matter of the CA', () => {
  const says =
    'error execution phase check-etcd: etcd cluster is not healthy: failed to dial endpoint https://10.0.0.2:2379 with maintenance client: x509: certificate is valid for 10.0.0.3, not 10.0.0.2';
  expect(verdict(says).failure).toMatchObject({
    code: 'CertificateInvalid',
    remedy: expect.stringContaining('server.crt'),
  });
});

it.each([
  [
    '[discovery] Failed to connect to API Server "10.0.0.1:6443": there is no JWS signed token in the cluster-info ConfigMap.',
    '[discovery] Successfully established connection with API Server "10.0.0.1:6443"',
  ],
  [
    'I1121 02:34:29.000001    7 token.go:217] [discovery] Retrying due to error: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
    '[preflight] Reading configuration from the cluster...',
  ],
  [
    '{"level":"warn","ts":"2026-11-21T02:34:31Z","caller":"v3/retry_interceptor.go:62","error":"etcdserver: can only promote a learner member which is in sync with leader"}',
    '[mark-control-plane] Marking the node n1 as control-plane by adding the labels',
  ],
])('what has gone well since is no likely cause: %s', (retried, since) => {
  const begin = '[preflight] Running pre-flight checks';
  expect(verdict(begin, retried).likely).toBeDefined();
  expect(verdict(begin, retried, since)).not.toHaveProperty('likely');
});
