import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { installTools } from '../../../../test/support/machine-tools.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { runExplained } from './explained-run.ts';

const ETCD = '/etc/kubernetes/manifests/etcd.yaml';
const MANIFEST = (request: string): string =>
  `    resources:\n      requests:\n        cpu: 100m\n${request}        memory: 100Mi\n`;
const REQUEST = '        ephemeral-storage: 100Mi\n';
const refusal = (resource: string): string =>
  `Jan 10 10:00:01 n1 kubelet[42]: W0110 10:00:01.000001      42 predicate.go:113] Failed to admit pod etcd-n1_kube-system(0a1b2c) - Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: ${resource}, q: 104857600), ]\n`;

let machine: FakeKubeadm;
beforeEach(() => {
  machine = new FakeKubeadm();
});
afterEach(() => machine.root.remove());

/** A join that waits for etcd's static pod, whose kubelet says that meanwhile. */
async function join(followed: string) {
  const told: string[] = [];
  machine.put(ETCD, MANIFEST(REQUEST), 0o600);
  installTools(machine, { followed });
  machine.put(
    KUBEADM,
    `#!/bin/sh\necho '[kubelet-start] Starting the kubelet'\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do\n  case "$(cat ${ETCD})" in *ephemeral*) sleep 0.2 ;; esac\ndone\n`,
    0o755,
  );
  const host = createLinuxHost({ root: machine.root.path });
  const run = await runExplained(host, {
    ...{ path: KUBEADM, verb: 'join', args: [] },
    onProgress: (message) => void told.push(message),
  });
  return { run, told, after: machine.state()[ETCD] };
}

it('takes the request for storage out of etcd when the kubelet refuses it for that, and says so', async () => {
  const { run, told, after } = await join(refusal('ephemeral-storage').repeat(3));
  expect(run.exitStatus).toBe(0);
  expect(after).toBe(`600 ${MANIFEST('')}`);
  expect(told.filter((message) => message.includes('refuses'))).toEqual([
    `the kubelet refuses the static pod etcd for lack of storage, which a new Node does not report yet; removing the storage request from ${ETCD}`,
  ]);
});

it('leaves a manifest as it is that is refused for what the machine lacks', async () => {
  const { told, after } = await join(refusal('memory'));
  expect(after).toBe(`600 ${MANIFEST(REQUEST)}`);
  expect(told.filter((message) => message.includes('refuses'))).toEqual([]);
});
