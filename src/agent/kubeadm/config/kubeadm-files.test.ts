import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeKubeadm } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { certificatesDirOf } from './kubeadm-files.ts';

let machine: FakeKubeadm;
beforeEach(() => {
  machine = new FakeKubeadm();
});
afterEach(() => machine.root.remove());

it('is told by the API server’s manifest, where it is not kubeadm’s own', async () => {
  const host = createLinuxHost({ root: machine.root.path });
  expect(await certificatesDirOf(host)).toBe('/etc/kubernetes/pki');
  const flags = (dir: string) =>
    `    - --client-ca-file=/srv/of-others/ca.crt\n    - --kubelet-client-certificate=${dir}/apiserver-kubelet-client.crt\n`;
  machine.put('/etc/kubernetes/manifests/kube-apiserver.yaml', flags('/srv/pki'));
  expect(await certificatesDirOf(host)).toBe('/srv/pki');
});
