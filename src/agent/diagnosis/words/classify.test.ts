import { describe, expect, it } from 'vitest';
import { readFixtures } from '../../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import { classify } from './classify.ts';

const fixtures = readFixtures();

describe('classify', () => {
  it.each(fixtures)(
    '$name is $code',
    ({ verb, stdout, stderr, exitStatus, code, persistence, cause, phase }) => {
      const failure = classify({ verb, stdout, stderr, exitStatus });
      expect(failure).toMatchObject({ code, persistence, exitStatus });
      expect(failure.cause).toContain(cause);
      expect(failure.phase).toBe(phase);
      expect(failure.cause).toMatch(/^[A-Z/"\d[a-z].*[.…]$|; its last line is: /s);
      expect(failure.remedy).toMatch(/\.$/);
    },
  );

  it.each(fixtures)(
    '$name: noise around it changes nothing',
    ({ verb, stdout, stderr, exitStatus, code }) => {
      const noise = [
        'W1121 02:34:29.570326     275 configset.go:77] Warning: No kubeproxy.config.k8s.io/v1alpha1 config is loaded. Continuing without it: configmaps "kube-proxy" is forbidden: User "system:bootstrap:abcdef" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
        // A logger of another make puts a mark before it.
        '??? W1121 02:34:29.570326     275 configset.go:77] Warning: No kubeproxy.config.k8s.io/v1alpha1 config is loaded. Continuing without it: configmaps "kube-proxy" is forbidden: User "system:bootstrap:abcdef" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
        '\t[WARNING Hostname]: hostname "n1" could not be reached',
        '\t[WARNING Hostname]: hostname "n1": lookup n1 on 127.0.0.1:53: read udp 127.0.0.1:50822->127.0.0.1:53: read: connection refused',
        '\t[WARNING FileExisting-tc]: tc not found in system path',
        'I1121 02:56:42.697177    1372 join.go:395] [preflight] found NodeName empty; using OS hostname as NodeName',
      ].join('\n');
      const crlf = `${noise}\n${stderr}`.replaceAll('\n', '\r\n');
      expect(classify({ verb, stdout: `${stdout}\n`, stderr: crlf, exitStatus }).code).toBe(code);
    },
  );

  it.each([
    [
      'error execution phase wait-control-plane: cannot obtain client without bootstrap: could not bootstrap the admin user in file admin.conf: unable to create ClusterRoleBinding: client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline',
      'has expired',
      'was valid until 2021-01-01 00:00:00 +0000 UTC',
    ],
    [
      'error execution phase wait-control-plane: could not initialize a Kubernetes cluster',
      'is not valid yet',
      'is valid from 2020-01-01 00:00:00 +0000 UTC on',
    ],
  ])('names the certificate of which kubeadm has warned: %s', (error, is, when) => {
    const warning = `W1127 18:48:25.102220    1027 certs.go:474] WARNING: could not validate bounds for certificate ca: the certificate ${is}: NotBefore: 2020-01-01 00:00:00 +0000 UTC, NotAfter: 2021-01-01 00:00:00 +0000 UTC`;
    const said = (stderr: string) =>
      classify({
        verb: 'init',
        stdout: '[certs] Using existing ca certificate authority\n',
        stderr,
        exitStatus: 1,
      });
    expect(said(error).code).toBe('ControlPlaneNotReady');
    expect(said(`${warning}\n${error}\n`)).toMatchObject({
      code: 'ClockWrong',
      cause: `The certificate ca on this machine ${when}, as kubeadm warned: certificates signed by it are not trusted.`,
    });
    // What has nothing to do with it stays what it is.
    const other =
      'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR Port-6443]: Port 6443 is in use';
    expect(said(`${warning}\n${other}\n`).code).toBe('PortInUse');
  });

  it('tells every finding of preflight, the one to mend first in front', () => {
    const { cause } = classify({
      verb: 'join',
      exitStatus: 1,
      stdout: '',
      stderr: [
        'error execution phase preflight: [preflight] Some fatal errors occurred:',
        '\t[ERROR Port-10250]: Port 10250 is in use',
        '\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists',
      ].join('\n'),
    });
    expect(cause).toBe('/etc/kubernetes/kubelet.conf already exists. Also: Port 10250 is in use.');
  });

  it('gives the last lines of what it does not know', () => {
    const failure = classify({
      verb: 'join',
      stdout: 'one\ntwo\n',
      stderr: 'three\nfour\nfive\nsix\n',
      exitStatus: 9,
    });
    expect(failure.code).toBe('Unclassified');
    expect(failure.lines).toEqual(['four', 'five', 'six']);
    expect(classify({ verb: 'init', stdout: 'one\n', stderr: '', exitStatus: 1 }).lines).toEqual(['one']);
    expect(classify({ verb: 'init', stdout: '', stderr: '', exitStatus: 1 }).cause).toContain(
      'printed no reason',
    );
  });

  it('never shows the secret half of a token', () => {
    const token = 'abcdef.0123456789abcdef';
    const failure = classify({
      verb: 'join',
      stdout: '',
      stderr: `error execution phase preflight: could not use ${token} at https://192.0.2.1:6443\ntoken: Invalid value: "abcdef.0123456789abcdeF": bad`,
      exitStatus: 1,
    });
    expect(JSON.stringify(failure)).not.toMatch(/0123456789abcde/);
    const asPhase = classify({
      verb: 'join',
      stdout: '',
      stderr: `error execution phase ${token}`,
      exitStatus: 1,
    });
    expect(JSON.stringify(asPhase)).not.toContain(token);
  });

  it('says that kubeadm vanished, or was killed, only when it gave no reason itself', () => {
    const killed = (exitStatus: number | undefined, stderr = '') =>
      classify({ verb: 'join', stdout: '', stderr, exitStatus });
    expect(killed(undefined).code).toBe('KubeadmInterrupted');
    expect(killed(137).cause).toContain('SIGKILL');
    expect(killed(143, 'error execution phase preflight: Unauthorized').code).toBe('CredentialsRejected');
    expect(killed(1).code).toBe('Unclassified');
  });

  it('does not throw, whatever it is given, and always says something', () => {
    // Pieces of real outputs in random order: nearer to what can happen than random characters.
    let state = 42;
    const next = (max: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state % max;
    };
    const lines = fixtures.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n'));
    for (let round = 0; round < 300; round++) {
      const pick = (): string =>
        Array.from({ length: next(12) }, () => {
          const line = lines[next(lines.length)] ?? '';
          return next(4) === 0 ? line.slice(next(line.length + 1)) : line;
        }).join('\n');
      const failure = classify({
        verb: next(2) ? 'init' : 'join',
        stdout: pick(),
        stderr: pick(),
        exitStatus: next(256),
      });
      expect(codes()[failure.code]).toBeDefined();
      expect(failure.cause).not.toBe('');
      expect(failure.lines?.length).toBeLessThanOrEqual(3);
    }
  });

  describe('of a server that has proved nothing yet', () => {
    const IDENTITY =
      "error execution phase preflight: couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: ";
    const told = (words: string) =>
      classify({
        verb: 'join',
        stdout: '[preflight] Running pre-flight checks\n',
        stderr: `${IDENTITY}${words}\nTo see the stack trace of this error execute with --v=5 or higher\n`,
        exitStatus: 1,
      });

    const accusations = [
      'x\n\t[ERROR Swap]: running with swap on is not supported. Please disable swap',
      'x\nerror execution phase kubelet-start: unknown flag: --evil',
      'open /etc/kubernetes/pki/ca.crt: read-only file system',
      'open /etc/kubernetes/pki/ca.crt: permission denied',
      'this version of kubeadm only supports deploying clusters with the control plane version >= 1.30.0. Current version: v1.20.0',
      'failed to pull image "evil": manifest unknown',
      'cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:evil" are pinned',
      "failed to verify JWS signature of received cluster info object, can't trust this API Server",
      'x509: certificate has expired or is not yet valid: current time 2030-01-01T00:00:00Z is after 2020-01-01T00:00:00Z',
      'etcd cluster is not healthy: failed to dial endpoint https://192.0.2.6:2379 with maintenance client: context deadline exceeded',
      'found multiple CRI endpoints on the host',
    ];

    it.each(accusations)('lets it accuse nobody: %s', (words) => {
      const { code, cause, persistence, phase, lines } = told(words);
      expect({ code, persistence, phase }).toEqual({
        code: 'ClusterInfoUnavailable',
        persistence: 'until-deadline',
        phase: 'preflight',
      });
      expect(cause).toMatch(/and has not proved to be the API server; it reports: /);
      expect(lines?.[0]).toContain("couldn't validate the identity of the API Server");
      expect(lines).toHaveLength(1);
    });

    it.each(accusations)('lets it end nothing by what it quotes either: %s', (words) => {
      const { persistence } = told(
        `an error on the server ("${words}") has prevented the request from succeeding (get configmaps cluster-info)`,
      );
      expect(persistence).not.toBe('permanent');
    });

    it.each([
      'cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:evil" are pinned',
      "failed to verify JWS signature of received cluster info object, can't trust this API Server",
    ])('nor by words that begin like those of a request that failed on its way: %s', (words) => {
      for (const begin of ['Get "https://a": ', 'dial tcp ', 'timed out waiting '])
        expect(told(`${begin}${words}`).persistence).not.toBe('permanent');
    });

    it('takes nothing of it but one line without controls', () => {
      const failure = told('\u001b[2J\u001b]0;x\u0007\r\n[preflight] ok\u0000');
      expect(JSON.stringify(failure)).not.toMatch(/\\u00|\\[nr]/);
      expect(failure.cause.length).toBeLessThan(300);
    });
  });

  it('names the file that could not be written, and ends where a line has no end of slashes', () => {
    const cause = (stderr: string) => classify({ verb: 'join', stdout: '', stderr, exitStatus: 1 }).cause;
    expect(cause('failed to save: open /var/lib/a b: read-only file system')).toBe(
      'kubeadm could not write /var/lib/a: read-only file system.',
    );
    expect(cause('x /etc/hosts: y: disk quota exceeded')).toBe(
      'kubeadm could not write: disk quota exceeded.',
    );
    // Every way to read the line would be tried for longer than the test's minute.
    expect(cause('/'.repeat(40_000))).not.toBe('');
  });

  it('ends on a huge output', () => {
    const stderr = `${'x'.repeat(200)}: \n`.repeat(5_000);
    expect(classify({ verb: 'join', stdout: stderr, stderr, exitStatus: 1 }).code).toBe('Unclassified');
  });

  it('ends on a great many empty lines', () => {
    const stderr = '\n'.repeat(150_000);
    expect(classify({ verb: 'join', stdout: stderr, stderr, exitStatus: 1 }).code).toBe('Unclassified');
  });

  it('tells no token in what else is wrong', () => {
    const stderr = '[ERROR P]: e abcdef.0123456789abcdef\n[ERROR Swap]: x\n';
    const failure = classify({ verb: 'init', stdout: '', stderr, exitStatus: 1 });
    expect(failure.facts?.also).toContain('[redacted]');
    expect(JSON.stringify(failure)).not.toContain('0123456789abcdef');
  });

  it('says how certificates are uploaded, where a machine may not read them', () => {
    const stderr =
      'error: error execution phase control-plane-prepare/download-certs: error downloading certs: error downloading the secret: secrets "kubeadm-certs" is forbidden: User "system:bootstrap:abcdef" cannot get resource "secrets" in API group "" in the namespace "kube-system"\n';
    expect(classify({ verb: 'join', stdout: '', stderr, exitStatus: 1 })).toMatchObject({
      code: 'PermissionDenied',
      remedy: expect.stringMatching(/upload-certs --upload-certs/),
    });
  });
});

describe('several findings of one kind', () => {
  const found = (...findings: string[]) =>
    classify({
      verb: 'init',
      stdout: '[preflight] Running pre-flight checks',
      stderr: `error execution phase preflight: [preflight] Some fatal errors occurred:\n${findings.map((one) => `\t[ERROR ${one}\n`).join('')}`,
      exitStatus: 1,
    });

  it('are all named, whatever their number', () => {
    const images = [
      'kube-apiserver',
      'kube-controller-manager',
      'kube-scheduler',
      'kube-proxy',
      'coredns/coredns',
      'pause',
      'etcd',
    ];
    const { cause } = found(
      ...images.map(
        (name) =>
          `ImagePull]: failed to pull image registry.k8s.io/${name}:v1: rpc error: code = Unknown desc = failed to pull and unpack image "registry.k8s.io/${name}:v1": failed to do request: Head "https://registry.k8s.io/v2/": dial tcp: lookup registry.k8s.io on 127.0.0.53:53: no such host`,
      ),
    );
    for (const name of images) expect(cause).toContain(`registry.k8s.io/${name}:v1`);
    expect(cause.match(/cannot be resolved/g)).toHaveLength(1);
  });

  it('are told once, with what they have in common', () => {
    expect(
      found(
        'Port-6443]: Port 6443 is in use',
        'Port-10250]: Port 10250 is in use',
        'Port-2379]: Port 2379 is in use',
      ),
    ).toMatchObject({
      cause: 'Port 6443 is in use. The same is true for 10250 and 2379.',
      facts: { port: 6443, ports: [10250, 2379] },
    });
    expect(
      found(
        'FileExisting-conntrack]: conntrack not found in system path',
        'FileExisting-ip]: ip not found in system path',
        'Swap]: running with swap on is not supported. Please disable swap',
        'NumCPU]: the number of available CPUs 1 is less than the required 2',
      ).cause,
    ).toBe(
      'conntrack is not installed. The same is true for ip. Also: Running with swap on is not supported. Please disable swap; The number of available CPUs 1 is less than the required 2.',
    );
  });

  it('keep each its own reason', () => {
    const { cause } = found(
      'ImagePull]: failed to pull image a.example/x:1: dial tcp 192.0.2.1:443: connect: connection refused',
      'ImagePull]: failed to pull image a.example/y:1: dial tcp 192.0.2.1:443: i/o timeout',
    );
    expect(cause).toMatch(/a\.example\/x:1 .*refused\. Also: .*a\.example\/y:1 .*timeout/);
  });
});
