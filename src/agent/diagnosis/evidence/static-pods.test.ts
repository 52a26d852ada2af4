import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeKubeadm } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { markLogs, readPodLogs, readStaticPods } from './static-pods.ts';

const OWN = '/var/log/pods/kube-system_etcd-a_1/etcd';
const line = (text: string) => `2026-01-01T00:00:00Z stderr F ${text}\n`;

let machine: FakeKubeadm;
beforeEach(() => {
  machine = new FakeKubeadm();
  machine.put('/etc/victim/0.log', line('only for root'));
});
afterEach(() => machine.root.remove());
const host = () => createLinuxHost({ root: machine.root.path });

it('has the last words of a component and of the run before, as far as they are newer than a mark', async () => {
  machine.put(`${OWN}/0.log`, line('an earlier attempt'));
  const marks = await markLogs(host());
  for (const at of [1, 2]) machine.put(`${OWN}/${at}.log`, line(`run ${at}`));
  const log = ['run 1', 'run 2'].map((text) => expect.stringContaining(text));
  expect((await readPodLogs(host(), marks)).get('etcd')).toEqual({ restarts: 1, log });
});

it("quotes no file of root's to which a pod has laid a link, and asks the runtime instead", async () => {
  machine.put(`${OWN}/0.log`, line('run 0'));
  symlinkSync('/etc/victim/0.log', join(machine.root.path, OWN, '1.log'));
  const other = '/var/log/pods/kube-system_kube-apiserver-a_2';
  machine.put(`${other}/x`, '');
  symlinkSync('/etc/victim', join(machine.root.path, other, 'kube-apiserver'));
  const found = await readPodLogs(host());
  expect(JSON.stringify([...found])).not.toContain('only for root');
  expect(found.get('etcd')).toEqual({ restarts: 1, log: [expect.stringContaining('run 0')] });
  expect(found.has('kube-apiserver')).toBe(false);
  const container = { metadata: { name: 'etcd' }, id: 'e', state: 'CONTAINER_RUNNING' };
  machine.put('/bin/crictl', `#!/bin/sh\necho '${JSON.stringify({ containers: [container] })}'\n`, 0o755);
  expect(JSON.stringify(await readStaticPods(host(), undefined, 5_000))).toContain('run 0');
});
