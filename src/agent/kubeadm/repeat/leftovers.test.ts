import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { clearInventory, INVENTORY, readInventory, takeInventory } from './inventory.ts';
import { cleanUpAttempt } from './leftovers.ts';

const OWNER = { instance: 'i-1', document: 'd-1', written: [] };

describe('cleaning up between attempts', () => {
  let machine: FakeKubeadm;
  let host: Host;
  beforeEach(() => {
    machine = new FakeKubeadm();
    host = createLinuxHost({ root: machine.root.path });
  });
  afterEach(() => machine.root.remove());

  const userData = () => {
    machine.put('/etc/kubernetes/pki/ca.crt', 'CA', 0o640);
    machine.put('/etc/kubernetes/pki/ca.key', 'CA KEY', 0o600);
    machine.put('/etc/kubernetes/pki/etcd/ca.key', 'ETCD KEY', 0o600);
    machine.put('/etc/kubernetes/azure.json', '{}', 0o600);
    machine.put('/etc/kubernetes/manifests/haproxy.yaml', 'static pod', 0o600);
    machine.put('/var/lib/kubelet/config.json', 'registry credentials', 0o600);
    machine.put('/var/lib/kubelet/config.yaml', 'of the image');
  };
  const controlPlaneAttempt = () => {
    machine.put('/etc/kubernetes/pki/apiserver.crt', 'new');
    machine.put('/etc/kubernetes/pki/etcd/peer.key', 'new');
    machine.put('/etc/kubernetes/kubelet.conf', 'new');
    machine.put('/etc/kubernetes/manifests/etcd.yaml', 'new');
    machine.put('/var/lib/kubelet/config.yaml', 'of kubeadm');
    machine.put(
      '/var/lib/kubelet/kubeadm-flags.env',
      'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/x.sock"',
    );
    machine.put('/var/lib/kubelet/pki/kubelet-client-current.pem', 'new');
    machine.put('/var/lib/etcd/member/wal', 'new');
  };

  it("notes a file where etcd's directory will be", async () => {
    machine.put('/var/lib/etcd', 'x');
    expect((await takeInventory(host, OWNER)).etcdEmpty).toBe(false);
  });

  it('leaves the machine as it was before a control-plane join that failed late', async () => {
    userData();
    const before = machine.state();
    const inventory = await takeInventory(host, OWNER);
    controlPlaneAttempt();
    const report = await cleanUpAttempt(host, inventory, {
      verb: 'join',
      phase: 'control-plane-join/etcd',
      kubeadmPath: KUBEADM,
    });
    expect(machine.state()).toEqual(before);
    expect(machine.calls).toEqual([
      'reset --force --cert-dir=/run/slipway/no-certificates --cri-socket=unix:///run/x.sock',
    ]);
    expect(report).toMatchObject({ reset: true, problems: [] });
    expect(report.restored).toContain('/etc/kubernetes/manifests/haproxy.yaml');
    // Nothing left to do: a second time changes nothing and resets nothing.
    await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(machine.state()).toEqual(before);
    expect(machine.calls).toHaveLength(1);
  });

  it('restores nothing of a node that somebody has reset since', async () => {
    controlPlaneAttempt();
    // A call on the node, which was refused.
    await takeInventory(host, OWNER);
    for (const path of ['etc/kubernetes', 'var/lib/kubelet', 'var/lib/etcd'])
      rmSync(join(machine.root.path, path), { recursive: true });
    const inventory = await takeInventory(host, OWNER);
    await cleanUpAttempt(host, inventory, { verb: 'join', phase: 'preflight', kubeadmPath: KUBEADM });
    expect(await host.files.stat('/etc/kubernetes/kubelet.conf')).toBeUndefined();
    expect(await host.files.stat('/var/lib/kubelet/pki/kubelet-client-current.pem')).toBeUndefined();
  });

  it('only removes files after an attempt that failed in preflight or discovery', async () => {
    const inventory = await takeInventory(host, OWNER);
    machine.put('/etc/kubernetes/pki/ca.crt', 'CA of the cluster');
    machine.put('/etc/kubernetes/bootstrap-kubelet.conf', 'token');
    machine.put('/etc/kubernetes/of-somebody-else.yaml', 'x');
    const report = await cleanUpAttempt(host, inventory, {
      verb: 'join',
      phase: 'kubelet-start',
      kubeadmPath: KUBEADM,
    });
    expect(Object.keys(machine.state())).toEqual(['/etc/kubernetes/of-somebody-else.yaml']);
    expect(machine.calls).toEqual([]);
    expect(report).toEqual({
      reset: false,
      removed: ['/etc/kubernetes/pki/ca.crt', '/etc/kubernetes/bootstrap-kubelet.conf'],
      restored: [],
      problems: [],
    });
  });

  it('knows certificates where the configuration puts them, and removes nothing else there', async () => {
    machine.put('/srv/pki/ca.crt', 'CA of the user data');
    const inventory = await takeInventory(host, OWNER, {
      certificatesDir: '/srv/pki',
      caCertPath: '/srv/worker-ca.crt',
    });
    expect(await readInventory(host, 'i-1')).toEqual(inventory);
    for (const name of ['pki/apiserver.key', 'pki/etcd/ca.crt', 'pki/of-somebody-else.crt', 'worker-ca.crt'])
      machine.put(`/srv/${name}`, 'new');
    const { removed } = await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(removed.sort()).toEqual(['/srv/pki/apiserver.key', '/srv/pki/etcd/ca.crt', '/srv/worker-ca.crt']);
    for (const path of ['/srv/pki/ca.crt', '/srv/pki/of-somebody-else.crt'])
      expect(await host.files.stat(path)).toBeDefined();
  });

  it('keeps etcd data that was there before, and lets no reset near it', async () => {
    machine.put('/var/lib/etcd/member/wal', 'of another etcd');
    const inventory = await takeInventory(host, OWNER);
    machine.put('/var/lib/kubelet/kubeadm-flags.env', 'x');
    await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(machine.calls).toEqual([
      'reset --force --cert-dir=/run/slipway/no-certificates --skip-phases=remove-etcd-member',
    ]);
    expect(machine.state()).toEqual({ '/var/lib/etcd/member/wal': '644 of another etcd' });
  });

  it('tells nothing of pods where there is no runtime to know of them', async () => {
    const inventory = await takeInventory(host, OWNER);
    controlPlaneAttempt();
    machine.put('/runtime-is-down', '');
    const report = await cleanUpAttempt(host, inventory, { verb: 'init', kubeadmPath: KUBEADM });
    expect(report).toMatchObject({ reset: true, problems: [] });
    expect(machine.calls).toHaveLength(1);
  });

  it('tells when the reset failed, without the secret it printed', async () => {
    const inventory = await takeInventory(host, OWNER);
    machine.put('/reset-fails', '');
    machine.put('/var/lib/kubelet/kubeadm-flags.env', 'x');
    const report = await cleanUpAttempt(host, inventory, { verb: 'init', kubeadmPath: KUBEADM });
    expect(report.reset).toBe(false);
    expect(report.problems).toEqual([
      'kubeadm reset after kubeadm init exited with status 1: reset: token abcdef.[redacted] is stuck',
    ]);
  });

  it('says what it cannot bring back', async () => {
    userData();
    const inventory = await takeInventory(host, OWNER);
    rmSync(join(machine.root.path, 'etc/kubernetes/pki/ca.key'));
    const { problems } = await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(problems).toEqual([
      '/etc/kubernetes/pki/ca.key was changed or removed, and no copy of it was kept',
    ]);
  });

  it('takes the inventory once, before the first attempt, and keeps it over restarts', async () => {
    userData();
    const first = await takeInventory(host, OWNER);
    controlPlaneAttempt();
    expect(await takeInventory(createLinuxHost({ root: machine.root.path }), OWNER)).toEqual(first);
    await clearInventory(host);
    expect(await readInventory(host, 'i-1')).toBeUndefined();
    expect(await takeInventory(host, OWNER)).not.toEqual(first);
  });

  it('knows nothing of an inventory that was baked into the image', async () => {
    userData();
    await takeInventory(host, { ...OWNER, instance: 'the machine the image was made of' });
    rmSync(join(machine.root.path, 'etc/kubernetes/manifests/haproxy.yaml'));
    expect(await readInventory(host, 'i-1')).toBeUndefined();
    const inventory = await takeInventory(host, OWNER);
    const before = machine.state();
    await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(machine.state()).toEqual(before);
    expect((await readInventory(host, 'i-1'))?.instance).toBe('i-1');
  });

  it('keeps what corrected user data wrote, and still knows what the failed attempt left', async () => {
    userData();
    await takeInventory(host, OWNER);
    controlPlaneAttempt();
    machine.put('/etc/kubernetes/manifests/haproxy.yaml', 'corrected static pod', 0o600);
    machine.put('/etc/kubernetes/pki/sa.key', 'of the corrected user data', 0o600);
    const written = ['/etc/kubernetes/manifests/haproxy.yaml', '/etc/kubernetes/pki/sa.key'];
    const inventory = await takeInventory(host, { ...OWNER, document: 'd-2', written });
    await cleanUpAttempt(host, inventory, { verb: 'join', kubeadmPath: KUBEADM });
    expect(machine.calls).toHaveLength(1);
    const state = machine.state();
    expect(state['/etc/kubernetes/manifests/haproxy.yaml']).toBe('600 corrected static pod');
    expect(state['/etc/kubernetes/pki/sa.key']).toBe('600 of the corrected user data');
    expect(state['/var/lib/kubelet/config.yaml']).toBe('644 of the image');
    expect(Object.keys(state).filter((path) => !written.includes(path))).toEqual([
      '/etc/kubernetes/azure.json',
      '/etc/kubernetes/pki/ca.crt',
      '/etc/kubernetes/pki/ca.key',
      '/etc/kubernetes/pki/etcd/ca.key',
      '/var/lib/kubelet/config.json',
      '/var/lib/kubelet/config.yaml',
    ]);
  });

  it('keeps the inventory from other eyes, and no private key in it', async () => {
    userData();
    await takeInventory(host, OWNER);
    const file = join(machine.root.path, INVENTORY);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    for (const key of ['CA KEY', 'ETCD KEY']) expect(text).not.toContain(Buffer.from(key).toString('base64'));
  });

  it('makes a new inventory when the one on disk is damaged', async () => {
    machine.put(INVENTORY, '{"version":1,"entr');
    expect((await takeInventory(host, OWNER)).entries).toEqual({});
  });
});
