import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import { installTools } from '../../../../test/support/machine-tools.ts';
import { gatherEvidence } from '../../diagnosis/evidence/gather.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { runExplained } from './explained-run.ts';

const UP =
  'Id=kubelet.service\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=0\nExecMainStatus=0\n\nId=containerd.service\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=0\nExecMainStatus=0\n';
const LOOPS = UP.replace(
  'ActiveState=active\nSubState=running',
  'ActiveState=activating\nSubState=auto-restart',
).replace('NRestarts=0', 'NRestarts=12');
const STARTS = "echo '[preflight] Running pre-flight checks'\necho '[kubelet-start] Starting the kubelet'\n";
const GIVES_UP =
  "echo '[kubelet-check] The kubelet is not healthy after 4m0s'\necho 'error execution phase kubelet-start: timed out waiting for the condition' >&2\nexit 1\n";
const flagLog = readLogFixtures('kubelet').find(({ cause }) => cause === '--network-plugin')?.text ?? '';

describe('an attempt', () => {
  let machine: FakeKubeadm;
  const host = () => createLinuxHost({ root: machine.root.path });
  const join_ = (more = {}) => runExplained(host(), { path: KUBEADM, verb: 'join', args: [], ...more });
  const kubeadm = (body: string): void => machine.put(KUBEADM, `#!/bin/sh\n${body}`, 0o755);
  beforeEach(() => {
    machine = new FakeKubeadm();
  });
  afterEach(() => machine.root.remove());

  it('is over at the third end of the kubelet when its reason does not pass', async () => {
    installTools(machine, { followed: flagLog.repeat(3) });
    kubeadm(`${STARTS}sleep 600\n`);
    const { failure } = await join_();
    expect(failure).toMatchObject({
      code: 'KubeletBadFlag',
      persistence: 'permanent',
      cause: expect.stringContaining('--network-plugin'),
      lines: [expect.stringContaining('unknown flag: --network-plugin')],
    });
    expect(failure).not.toHaveProperty('exitStatus');
  });

  it('goes on while the reason may pass, and when the kubelet ended before kubeadm started it', async () => {
    const down = readLogFixtures('kubelet').find(({ code }) => code === 'ContainerRuntimeDown')?.text ?? '';
    installTools(machine, { followed: down.repeat(4), units: UP, disks: '', containers: '{}' });
    kubeadm(`${STARTS}sleep 2\necho '\nThis node has joined the cluster:'\n`);
    expect(await join_()).toMatchObject({ exitStatus: 0, tokenWasKnown: true });
    installTools(machine, { followed: flagLog.repeat(4) });
    kubeadm("echo '[preflight] Running pre-flight checks'\nsleep 2\n");
    await host().processes.forgetDurable('kubeadm');
    expect(await join_()).toMatchObject({ exitStatus: 0, tokenWasKnown: false });
  });

  it('asks the journal where it could not be followed', async () => {
    installTools(machine, { journal: flagLog, units: LOOPS, disks: '', containers: '{}' });
    kubeadm(STARTS + GIVES_UP);
    expect((await join_()).failure).toMatchObject({
      code: 'KubeletBadFlag',
      exitStatus: 1,
      phase: 'kubelet-start',
    });
  });

  it('keeps what kubeadm said where the machine shows nothing', async () => {
    installTools(machine, { units: UP, disks: '', containers: '{}' });
    kubeadm(STARTS + GIVES_UP);
    expect((await join_()).failure).toMatchObject({ code: 'KubeletUnhealthy' });
  });

  it('tells a full disk, and a static pod that ends', async () => {
    const disks =
      'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 10485760 10485760 0 100% /var/lib/kubelet\n';
    installTools(machine, { units: UP, disks, containers: '{}' });
    kubeadm(STARTS + GIVES_UP);
    expect((await join_()).failure).toMatchObject({
      code: 'DiskFull',
      cause: expect.stringContaining('/var/lib/kubelet'),
    });
    await host().processes.forgetDurable('kubeadm');
    installTools(machine, { units: UP, disks: '', containers: '{}' });
    const pod = '/var/log/pods/kube-system_etcd-n1_abc/etcd';
    machine.put(`${pod}/0.log`, '2026-11-21T02:40:01.1Z stderr F an attempt before this one\n');
    kubeadm(
      `${STARTS}sleep 2\necho '2026-11-21T02:41:01.1Z stderr F Error: unknown flag: --enable-v2' >${pod}/2.log\necho '[wait-control-plane] Waiting for the kubelet to boot up the control plane'\necho 'error execution phase wait-control-plane: failed while waiting for the control plane to start: context deadline exceeded' >&2\nexit 1\n`,
    );
    const { failure } = await runExplained(host(), { path: KUBEADM, verb: 'init', args: [] });
    expect(failure).toMatchObject({
      code: 'ControlPlaneBadFlag',
      cause: 'etcd does not know the flag --enable-v2.',
    });
  });

  it('is over at the third end of a static pod too, not counting those of an attempt before', async () => {
    installTools(machine, { units: UP, disks: '', containers: '{}' });
    const log = (number: number, text: string): void =>
      machine.put(
        `/var/log/pods/kube-system_kube-apiserver-n1_abc/kube-apiserver/${number}.log`,
        `2026-11-21T02:41:01.1Z stderr F ${text}\n`,
      );
    for (const number of [0, 1, 2]) log(number, 'Error: unknown flag: --of-before');
    const pods = '/var/log/pods/kube-system_kube-apiserver-n1_abc/kube-apiserver';
    const ends = [3, 4, 5].map(
      (n) => `sleep 1; echo 'x stderr F Error: unknown flag: --no-such-flag' >${pods}/${n}.log\n`,
    );
    kubeadm(
      `${STARTS}sleep 1\necho '[wait-control-plane] Waiting for the kubelet'\n${ends.join('')}sleep 600\n`,
    );
    const { failure } = await runExplained(host(), { path: KUBEADM, verb: 'init', args: [] });
    expect(existsSync(`${machine.root.path}${pods}/5.log`)).toBe(true);
    expect(failure).toMatchObject({
      code: 'ControlPlaneBadFlag',
      persistence: 'permanent',
      cause: 'kube-apiserver does not know the flag --no-such-flag.',
    });
  });

  it('waits for no tool longer than a second and a half', async () => {
    installTools(machine, { journal: flagLog, units: LOOPS, disks: '', slow: ['crictl', 'df', 'ss'] });
    const evidence = await gatherEvidence(host(), {
      parts: ['kubelet', 'static pods', 'machine', 'listeners'],
    });
    expect(evidence.missing).toEqual(expect.arrayContaining(['disk space', 'who listens']));
    expect(evidence.units[0]).toMatchObject({ name: 'kubelet.service', restarts: 12 });
    expect(evidence.kubeletLog).toHaveLength(2);
  });
});

describe('a token that kubeadm does not find', () => {
  let machine: FakeKubeadm;
  let server: Server;
  let endpoint: string;
  let data: Record<string, string>;
  const MISSING = `echo "error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID \\"abcdef\\"" >&2\nexit 1\n`;

  beforeEach(async () => {
    machine = new FakeKubeadm();
    machine.put(KUBEADM, `#!/bin/sh\n${MISSING}`, 0o755);
    data = {};
    server = createServer(selfSigned(), (request, response) => {
      const found = request.url === '/api/v1/namespaces/kube-public/configmaps/cluster-info';
      response.writeHead(found ? 200 : 404).end(JSON.stringify({ kind: 'ConfigMap', data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    machine.root.remove();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const failure = async (more: { tokenWasKnown?: boolean } = {}) =>
    (
      await runExplained(createLinuxHost({ root: machine.root.path }), {
        path: KUBEADM,
        verb: 'join',
        args: [],
        endpoint,
        tokenId: 'abcdef',
        ...more,
      })
    ).failure;

  it('was made late when it signs cluster-info now', async () => {
    data = { 'jws-kubeconfig-abcdef': 'x..y' };
    expect(await failure()).toMatchObject({ code: 'TokenUnknown', persistence: 'transient' });
  });

  it('has expired when the cluster knew it before', async () => {
    data = { 'jws-kubeconfig-zzzzzz': 'x..y' };
    expect(await failure({ tokenWasKnown: true })).toMatchObject({
      code: 'TokenExpired',
      persistence: 'permanent',
    });
  });

  it('is one of several, or of none', async () => {
    data = { 'jws-kubeconfig-zzzzzz': 'x..y' };
    expect((await failure())?.cause).toContain('although 1 other does');
    data = {};
    expect((await failure())?.cause).toContain(
      'does not sign cluster-info, and neither does any other token',
    );
  });

  it('stays what kubeadm said when the API server is gone', async () => {
    endpoint = '127.0.0.1:1';
    expect(await failure()).toMatchObject({ code: 'TokenUnknown', persistence: 'until-deadline' });
  });
});

function selfSigned(): { key: Buffer; cert: Buffer } {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-cert-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = [
    '-subj',
    '/CN=test',
    '-days',
    '1',
    '-nodes',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
  ];
  execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(dir, { recursive: true });
  return pair;
}
