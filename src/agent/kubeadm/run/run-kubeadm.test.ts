import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { isStillJoined } from '../repeat/joined.ts';
import { progressReader } from './progress.ts';
import { findRealKubeadm, kubeadmVersion } from './real-kubeadm.ts';
import { clearRun, findEarlierRun, runKubeadm } from './run-kubeadm.ts';

describe('kubeadm as a program', () => {
  let machine: FakeKubeadm;
  let host: Host;
  beforeEach(() => {
    machine = new FakeKubeadm();
    host = createLinuxHost({ root: machine.root.path });
  });
  afterEach(() => machine.root.remove());

  const failureOf = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof KubeadmError ? error.failure : error;
  };

  it('runs and tells its progress without secrets', async () => {
    const progress: string[] = [];
    const lines: string[] = [];
    const run = await runKubeadm(host, {
      path: KUBEADM,
      verb: 'join',
      args: ['--config', '/a b'],
      onProgress: (message) => progress.push(message),
      onLine: (line, stream) => lines.push(`${stream}: ${line}`),
    });
    expect(run).toMatchObject({ exitStatus: 7, adopted: false });
    expect(run.stderr).toContain('error execution phase preflight');
    expect(progress).toEqual([
      'preflight: checking the machine',
      'kubelet-start: setting up the kubelet and starting it',
    ]);
    expect(lines).toContain('stderr: error execution phase preflight: Unauthorized');
    expect(machine.calls).toEqual(['join --config /a b']);
  });

  it('takes over a run whose end nobody noted, instead of running again', async () => {
    const spec = { path: KUBEADM, verb: 'join' as const, args: [] };
    await runKubeadm(host, spec);
    expect(await findEarlierRun(host)).toBe('ended');
    expect(await runKubeadm(host, spec)).toMatchObject({ exitStatus: 7, adopted: true });
    expect(machine.calls).toHaveLength(1);
    await clearRun(host);
    expect(await findEarlierRun(host)).toBeUndefined();
  });

  it('is found past Slipway itself', async () => {
    machine.put('/usr/local/bin/slipway', '', 0o755);
    symlinkSync('slipway', join(machine.root.path, 'usr/local/bin/kubeadm'));
    expect(await findRealKubeadm(host, '/usr/local/bin/slipway')).toBe(KUBEADM);
    await host.files.remove(KUBEADM);
    expect(await failureOf(findRealKubeadm(host, '/usr/local/bin/slipway'))).toMatchObject({
      code: 'KubeadmNotFound',
      cause: expect.stringMatching(/^There is no kubeadm/),
    });
    machine.put(KUBEADM, '', 0o644);
    expect(await failureOf(findRealKubeadm(host, '/usr/local/bin/slipway'))).toMatchObject({
      code: 'KubeadmNotFound',
      cause: '/usr/bin/kubeadm exists but is not executable.',
    });
  });

  it('is taken from SLIPWAY_KUBEADM, or refused with the reason', async () => {
    machine.put('/srv/kubeadm-1.31', '', 0o755);
    machine.put('/srv/text', '');
    const named = (path: string) => findRealKubeadm({ ...host, env: () => path }, '/srv/kubeadm-1.31');
    expect(await named(KUBEADM)).toBe(KUBEADM);
    for (const [path, reason] of [
      ['/srv/text', 'not an executable'],
      ['/nope', 'not an executable'],
      ['kubeadm', 'not an absolute path'],
      ['/srv/kubeadm-1.31', 'Slipway itself'],
    ] as const) {
      expect(await failureOf(named(path))).toMatchObject({
        code: 'KubeadmNotFound',
        cause: expect.stringContaining(reason),
      });
    }
  });

  it('tells its version, or is no kubeadm', async () => {
    machine.put('/version', 'v1.31.2\n');
    expect(await kubeadmVersion(host, KUBEADM)).toEqual({ text: 'v1.31.2', major: 1, minor: 31 });
    machine.put('/version', 'hello\n');
    expect(await failureOf(kubeadmVersion(host, KUBEADM))).toMatchObject({ code: 'KubeadmNotFound' });
    expect(await failureOf(kubeadmVersion(host, '/nope'))).toMatchObject({ code: 'KubeadmNotFound' });
  });

  it('has bootstrapped a node only when the kubelet has its certificate', async () => {
    machine.put('/etc/kubernetes/kubelet.conf', '');
    expect(await isStillJoined(host, 'join')).toBe(false);
    machine.put('/var/lib/kubelet/pki/kubelet-client-current.pem', '');
    expect(await isStillJoined(host, 'join')).toBe(true);
    expect(await isStillJoined(host, 'init')).toBe(false);
    machine.put('/etc/kubernetes/admin.conf', '');
    machine.put('/etc/kubernetes/manifests/kube-apiserver.yaml', '');
    expect(await isStillJoined(host, 'init')).toBe(true);
  });
});

describe('progressReader', () => {
  it('tells each phase once, in words of its own', () => {
    const read = progressReader();
    const lines = [
      '[preflight] Running pre-flight checks',
      '[preflight] The system verification failed. Printing the output from the verification:',
      "[preflight] You can also perform this action in beforehand using 'kubeadm config images pull'",
      '[preflight] Pulling images required for setting up a Kubernetes cluster',
      '[kubelet-check] Waiting for a healthy kubelet at http://127.0.0.1:10248/healthz. This can take up to 4m0s',
      "[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: connection refused.",
      '[kubelet-check] The kubelet is healthy after 1.5s',
      '[upload-certs] Skipping phase. Please see --upload-certs',
      '[addons] Applied essential addon: CoreDNS',
      '[some-new-phase] Something failed with an error: abcdef.0123456789abcdef',
      '\tUnfortunately, an error has occurred:',
      'Run kubectl get nodes',
    ];
    expect(lines.flatMap((line) => read(line, 'stdout') ?? [])).toEqual([
      'preflight: checking the machine',
      'preflight: pulling images',
      'kubelet-check: waiting until the kubelet is healthy',
      'kubelet-check: the kubelet is healthy',
      'addons: installed CoreDNS',
      'some-new-phase: kubeadm is in this phase',
    ]);
    expect(read('[certs] on stderr', 'stderr')).toBeUndefined();
  });

  it('tells that a join waits for etcd, of which kubeadm says nothing', () => {
    const written = '[etcd] Creating static Pod manifest for "etcd"';
    expect(progressReader()(written, 'stdout')).toBe('etcd: setting up the etcd member');
    const read = progressReader();
    read('[check-etcd] Checking that the etcd cluster is healthy', 'stdout');
    expect(read(written, 'stdout')).toBe('etcd: waiting for the new etcd member to start and catch up');
    const retry = (method: string, error: string): string =>
      `{"level":"warn","ts":"2026-11-21T02:34:29.1Z","logger":"etcd-client","caller":"v3/retry_interceptor.go:65","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0001/192.0.2.7:2379",${method}"attempt":0,"error":"rpc error: code = Unavailable desc = ${error}"}`;
    const told = [
      retry('"method":"/etcdserverpb.Cluster/MemberAdd",', 'etcdserver: unhealthy cluster'),
      retry('"method":"/etcdserverpb.Cluster/MemberAdd",', 'etcdserver: unhealthy cluster'),
      retry('', 'error reading from server: \\"EOF\\"'),
      '{"level":"warn","msg":"something else"}',
    ].map((line) => read(line, 'stderr'));
    expect(told).toEqual([
      'etcd: MemberAdd at 192.0.2.7:2379 is retried: etcdserver: unhealthy cluster',
      undefined,
      'etcd: a request at 192.0.2.7:2379 is retried: error reading from server: "EOF"',
      undefined,
    ]);
  });
});
