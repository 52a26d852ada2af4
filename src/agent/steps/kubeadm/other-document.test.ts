import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { bootstrap } from '../../bootstrap/bootstrap.ts';
import { createLinuxHost } from '../../host/linux/host.ts';

/** Joins once; called on a node it refuses, as the real one does. */
const JOINS = `#!/bin/sh
echo "$1" >> /calls
case $1 in
reset) rm -rf /etc/kubernetes/*.conf /var/lib/kubelet/* ;;
join)
  if [ -e /etc/kubernetes/kubelet.conf ]; then
    echo '[kubelet-start] Starting the kubelet'
    echo 'changed' > /var/lib/kubelet/config.yaml
    echo 'error execution phase kubelet-start: error uploading crisocket: Unauthorized' >&2
    exit 1
  fi
  echo of this node > /etc/kubernetes/kubelet.conf
  echo of this node > /var/lib/kubelet/config.yaml
  echo of this node > /var/lib/kubelet/pki/kubelet-client-current.pem
  ;;
esac
`;

describe('another document on a machine that has joined', () => {
  let machine: FakeKubeadm;
  beforeEach(() => {
    machine = new FakeKubeadm();
    machine.put(KUBEADM, JOINS, 0o755);
    machine.put('/etc/kubernetes/of-the-image', '');
    machine.put('/var/lib/kubelet/pki/of-the-image', '');
  });
  afterEach(() => machine.root.remove());

  const run = (...commands: string[]) => {
    const path = join(machine.root.path, 'user-data');
    writeFileSync(path, `#cloud-config\nruncmd: [${commands.join(', ')}]\n`);
    return bootstrap({
      ...{ host: createLinuxHost({ root: machine.root.path }), agent: '0', userDataFile: path },
      ...{ deadlineSeconds: 30, stop: new AbortController().signal },
      watcher: { record: () => undefined, output: () => undefined },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
    });
  };

  it('does not call kubeadm again', async () => {
    expect(await run('kubeadm join')).toMatchObject({ result: 'succeeded' });
    const before = machine.state();
    const outcome = await run('"true"', 'kubeadm join');
    expect(outcome).toMatchObject({ result: 'succeeded', findings: [{ code: 'NodeLeftAsItIs' }] });
    expect(machine.calls.filter((call) => call !== 'version')).toEqual(['join']);
    expect(machine.state()).toEqual(before);
  });
});
