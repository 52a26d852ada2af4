import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeKubeadm } from '../../../test/support/kubeadm/fake-kubeadm.ts';
import { JOURNAL, OUTCOME, SENTINEL, STATE_DIR } from '../document/paths.ts';
import { historyOf } from '../engine/history.ts';
import { Journal } from '../engine/journal.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { type ResetReport, resetNode } from './reset.ts';
import { recordStateBefore } from './state-before.ts';

let machine: FakeKubeadm;
let host: Host;
beforeEach(() => {
  machine = new FakeKubeadm();
  host = createLinuxHost({ root: machine.root.path });
});
afterEach(() => machine.root.remove());

const has = (path: string): boolean => existsSync(join(machine.root.path, path));
const remains = (report: ResetReport): string => report.remains.map(({ what }) => what).join('\n');

async function bootstrapped(): Promise<void> {
  machine.put('/etc/cni/net.d/99-loopback.conf', '{}');
  await recordStateBefore(host, 'i-1');
  for (const path of [
    '/etc/kubernetes/pki/ca.crt',
    '/etc/kubernetes/admin.conf',
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/manifests/etcd.yaml',
    '/var/lib/kubelet/config.yaml',
    '/var/lib/kubelet/pki/kubelet-client-current.pem',
    '/etc/cni/net.d/10-plugin.conflist',
    '/root/.kube/config',
    SENTINEL,
    OUTCOME,
    `${STATE_DIR}/inventory.json`,
    '/run/slipway/shell/runcmd-1/marks',
  ])
    machine.put(path, 'of the node');
  machine.put('/home/alice/.kube/config', 'of another cluster');
  await host.files.mkdir(STATE_DIR);
  const journal = await Journal.open(host);
  await journal.append({
    type: 'run.started',
    run: 'r',
    instance: 'i-1',
    mode: 'bootstrap',
    agent: '1',
    pid: 1,
  });
  for (const step of ['disks', 'files', 'kubeadm']) {
    await journal.append({ type: 'step.started', step, digest: 'd', attempt: 1 });
    await journal.append({ type: 'step.ended', step, digest: 'd', attempt: 1, result: 'done', ms: 1 });
  }
  await journal.close();
}

describe('reset', () => {
  test('takes away what the node made, and names the rest', async () => {
    await bootstrapped();
    const report = await resetNode(host, { agent: '1' });
    expect(report).toMatchObject({ kubeadm: 'reset', problems: [] });
    expect(machine.calls).toEqual(['reset --force']);
    for (const path of [
      ...['/etc/kubernetes/admin.conf', '/etc/kubernetes/pki/ca.crt', '/var/lib/kubelet/config.yaml'],
      ...['/etc/cni/net.d/10-plugin.conflist', '/root/.kube/config', SENTINEL, OUTCOME],
      ...[`${STATE_DIR}/inventory.json`, `${STATE_DIR}/before.json`, '/run/slipway/shell'],
    ])
      expect(has(path), path).toBe(false);
    expect(has('/etc/cni/net.d/99-loopback.conf')).toBe(true);
    expect(has('/home/alice/.kube/config')).toBe(true);
    expect(remains(report)).toMatch(/Node object/);
    expect(remains(report)).toMatch(/99-loopback\.conf/);
    expect(remains(report)).toMatch(/alice/);
    expect(report.removed).toContain('/root/.kube/config');
  });

  test('finds certificates in another directory, and takes only those that kubeadm makes', async () => {
    await bootstrapped();
    machine.put(
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      '    - --kubelet-client-certificate=/srv/pki/apiserver-kubelet-client.crt\n',
    );
    for (const name of ['ca.key', 'etcd/server.key', 'of-somebody-else.key'])
      machine.put(`/srv/pki/${name}`, 'k');
    const report = await resetNode(host, { agent: '1' });
    for (const name of ['ca.key', 'etcd/server.key']) expect(has(`/srv/pki/${name}`), name).toBe(false);
    expect(has('/srv/pki/of-somebody-else.key')).toBe(true);
    expect(remains(report)).toContain('/srv/pki');
  });

  test('lets a next bootstrap begin anew, but for disks', async () => {
    await bootstrapped();
    await resetNode(host, { agent: '1' });
    const journal = await Journal.open(host);
    await journal.close();
    const history = historyOf(journal.records, 'i-1');
    expect(history.step('disks', 'd').ended?.result).toBe('done');
    for (const step of ['files', 'kubeadm']) expect(history.step(step, 'd').ended).toBeUndefined();
    expect(readFileSync(join(machine.root.path, JOURNAL), 'utf8')).toMatch(/"node.reset".*"scope":"node"/);
  });

  test('is harmless when repeated', async () => {
    await bootstrapped();
    await resetNode(host, { agent: '1' });
    const again = await resetNode(host, { agent: '1' });
    expect(again).toMatchObject({ kubeadm: 'not needed', removed: [], problems: [] });
    expect(machine.calls).toHaveLength(1);
  });

  test('leaves a machine that never was a node as it is, its certificates above all', async () => {
    machine.put('/etc/kubernetes/pki/ca.key', 'of the user data', 0o600);
    machine.put('/etc/cni/net.d/10-image.conf', '{}');
    const report = await resetNode(host, { agent: '1' });
    expect(report).toMatchObject({ kubeadm: 'not needed', removed: [], problems: [] });
    expect(machine.calls).toEqual([]);
    expect(has('/etc/kubernetes/pki/ca.key')).toBe(true);
    expect(has('/etc/cni/net.d/10-image.conf')).toBe(true);
    expect(has(JOURNAL)).toBe(false);
  });

  test('of half a node goes as far as it can where kubeadm does not, and says so without secrets', async () => {
    machine.put('/etc/kubernetes/bootstrap-kubelet.conf', 'half');
    machine.put('/etc/cni/net.d/10-unknown.conf', 'whose?');
    machine.put('/reset-fails', '');
    const report = await resetNode(host, { agent: '1' });
    expect(report.kubeadm).toBe('failed');
    expect(report.problems.join()).toMatch(
      /exited with status 1: reset: token abcdef\.\[redacted\] is stuck/,
    );
    expect(has('/etc/kubernetes/bootstrap-kubelet.conf')).toBe(false);
    // Slipway did not see it come.
    expect(has('/etc/cni/net.d/10-unknown.conf')).toBe(true);
  });

  test('removes pods again that the runtime was just starting', async () => {
    await bootstrapped();
    machine.put('/pods-stay', 'xx');
    const report = await resetNode(host, { agent: '1' });
    expect(report).toMatchObject({ kubeadm: 'reset', problems: [] });
    expect(machine.calls).toEqual(['reset --force', 'reset phase cleanup-node', 'reset phase cleanup-node']);
  });

  test('does not take a phase that failed for one after which no pod is left', async () => {
    await bootstrapped();
    machine.put('/pods-stay', 'x');
    machine.put('/phase-fails', '');
    const report = await resetNode(host, { agent: '1' });
    expect(report).toMatchObject({ kubeadm: 'reset', problems: [] });
    expect(machine.calls.filter((call) => call === 'reset phase cleanup-node')).toHaveLength(2);
  });

  test('says that pods may run where the runtime does not even tell them, and does not wait for it', async () => {
    await bootstrapped();
    machine.put('/runtime-is-down', '');
    const report = await resetNode(host, { agent: '1' });
    expect(report.problems).toEqual([
      'kubeadm could not remove all pods, and what is left of them may run: output: connection refused',
    ]);
    expect(machine.calls).toEqual(['reset --force']);
  });

  test('is stopped by nothing that a user puts at ~/.kube/config', async () => {
    await bootstrapped();
    const at = (path: string): string => join(machine.root.path, 'home', path);
    for (const name of ['pipe', 'loop', 'linked', 'folder', 'large'])
      mkdirSync(at(`${name}/.kube`), { recursive: true });
    execFileSync('mkfifo', [at('pipe/.kube/config')]);
    rmdirSync(at('loop/.kube'));
    symlinkSync('.kube', at('loop/.kube'));
    symlinkSync('../../pipe/.kube/config', at('linked/.kube/config'));
    mkdirSync(at('folder/.kube/config'));
    // It takes no space on the disk.
    writeFileSync(at('large/.kube/config'), '');
    truncateSync(at('large/.kube/config'), 2 ** 40);
    const report = await resetNode(host, { agent: '1' });
    expect(report).toMatchObject({ kubeadm: 'reset', problems: [] });
    expect(report.removed).toContain('/root/.kube/config');
    for (const name of ['pipe', 'linked', 'folder', 'large'])
      expect(remains(report)).toContain(`/home/${name}/.kube/config`);
  });

  test.runIf(process.getuid?.() === 0)('goes on where a user swaps a copy for a link', async () => {
    await bootstrapped();
    const kube = join(machine.root.path, 'home/alice/.kube');
    writeFileSync(join(kube, 'config'), 'of the node');
    writeFileSync(join(machine.root.path, 'etc/config'), 'of root');
    chownSync(join(machine.root.path, 'home/alice'), 54_321, 54_321);
    const { processes } = host;
    const swapping: Host = {
      ...host,
      processes: {
        ...processes,
        // While kubeadm works, its user has the time.
        run: (options) => {
          rmSync(kube, { recursive: true, force: true });
          symlinkSync('/etc', kube);
          lchownSync(kube, 54_321, 54_321);
          return processes.run(options);
        },
        nameSelf: (name) => processes.nameSelf(name),
      },
    };
    const report = await resetNode(swapping, { agent: '1' });
    expect(report.problems).toEqual([expect.stringMatching(/alice.*copy of this cluster's admin.conf/)]);
    expect(has('/etc/config')).toBe(true);
    expect(has('/root/.kube/config')).toBe(false);
    expect(has(`${STATE_DIR}/before.json`)).toBe(false);
  });

  test('without a kubeadm removes by name', async () => {
    await bootstrapped();
    await host.files.remove('/usr/bin/kubeadm');
    const report = await resetNode(host, { agent: '1' });
    expect(report.kubeadm).toBe('failed');
    expect(report.problems.join()).toMatch(/no kubeadm on this machine/);
    expect(has('/var/lib/kubelet/config.yaml')).toBe(false);
  });
});
