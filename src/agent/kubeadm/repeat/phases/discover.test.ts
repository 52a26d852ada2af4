import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../../test/support/kubeadm/fake-kubeadm.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { discoverPhases, knownPhases } from './discover.ts';

describe('asking the installed kubeadm', () => {
  let machine: FakeKubeadm;
  beforeEach(() => {
    machine = new FakeKubeadm();
  });
  afterEach(() => machine.root.remove());
  const host = () => createLinuxHost({ root: machine.root.path });

  it('reads its help', async () => {
    const text = readFileSync(new URL('fixtures/join-1.35-1.36.txt', import.meta.url), 'utf8');
    machine.put('/help', text);
    machine.put(KUBEADM, '#!/bin/sh\n[ "$*" = "join --help" ] && cat /help\n', 0o755);
    expect((await discoverPhases(host(), KUBEADM, 'join')).map(({ path }) => path)).toContain('etcd-join');
    expect(await discoverPhases(host(), KUBEADM, 'init')).toEqual([]);
  });

  it('tells hidden phases from those it does not have', async () => {
    const script = `#!/bin/sh
list=\${*##*--skip-phases=}
[ "\${list%%,*}" = etcd-join ] && echo "error: invalid phase name: \${list#*,}" >&2 || echo "error: invalid phase name: \${list%%,*}" >&2
exit 1
`;
    machine.put(KUBEADM, script, 0o755);
    const call = { path: KUBEADM, verb: 'join', args: ['--config', '/a'] } as const;
    expect(await knownPhases(host(), call, ['etcd-join', 'control-plane-join/etcd'])).toEqual(['etcd-join']);
  });
});
