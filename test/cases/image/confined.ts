import { strict as assert } from 'node:assert';
import type { Deployed } from './deployed.ts';

const MEMORY_LIMIT = 1024 ** 3;

/** What the manifests promise of the pods is so inside of them. */
export async function expectConfined(deployed: Deployed): Promise<void> {
  const pods = await deployed.pods();
  assert.equal(pods.length, 2);
  for (const pod of pods) {
    const status = await deployed.inPod(pod, 'cat', '/proc/1/status');
    for (const line of [
      /^Uid:\t65532\t65532\t65532\t65532$/m,
      /^Gid:\t65532\t65532\t65532\t65532$/m,
      /^Groups:\t65532 $/m,
      /^CapPrm:\t0{16}$/m,
      /^CapBnd:\t0{16}$/m,
      /^NoNewPrivs:\t1$/m,
      // 2 is a filter.
      /^Seccomp:\t2$/m,
    ])
      assert.match(status, line);
    const touch =
      'for dir in / /tmp /var/tmp /run "$HOME"; do if touch "$dir/x" 2>/dev/null; then echo "$dir"; fi; done';
    assert.equal(await deployed.inPod(pod, 'sh', '-c', touch), '', 'nothing can be written');
    const limit =
      'if [ -e /sys/fs/cgroup/memory.max ]; then cat /sys/fs/cgroup/memory.max; else cat /sys/fs/cgroup/memory/memory.limit_in_bytes; fi';
    assert.equal(Number(await deployed.inPod(pod, 'sh', '-c', limit)), MEMORY_LIMIT);
  }
  const leader = await deployed.leader();
  assert.ok(
    pods.some(({ name }) => name === leader),
    `${leader} leads, which is none of the pods`,
  );
  const budget = '--output=jsonpath={.status.currentHealthy} {.status.disruptionsAllowed}';
  await deployed.machine.waitFor(
    async () =>
      (await deployed.kubectl('get', 'poddisruptionbudget', 'slipway-controller', budget)) === '2 1',
    { timeoutMs: 600_000, what: 'the disruption budget to count both pods' },
  );
  await expectRights(deployed);
}

async function expectRights({ machine }: Deployed): Promise<void> {
  const may = async (name: string, verb: string, resource: string, namespace: string): Promise<string> => {
    const account = `system:serviceaccount:slipway-system:slipway-${name}`;
    const { stdout } = await machine.exec([
      ...['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', `--as=${account}`],
      ...['auth', 'can-i', verb, resource, `--namespace=${namespace}`],
    ]);
    return stdout.trim();
  };
  for (const [name, verb, resource, namespace, answer] of [
    ['controller', 'get', 'secrets', 'slipway-system', 'yes'],
    ['controller', 'get', 'secrets', 'default', 'no'],
    ['controller', 'create', 'secrets', 'default', 'no'],
    ['controller', 'patch', 'machines.cluster.x-k8s.io', 'default', 'no'],
    ['controller', 'create', 'nodebootstraps.slipway.dev', 'default', 'yes'],
    ['controller', 'create', 'nodebootstraps.slipway.dev', 'kube-system', 'no'],
    ['minter', 'create', 'secrets', 'default', 'yes'],
    ['minter', 'create', 'secrets', 'kube-system', 'no'],
    ['minter', 'get', 'secrets', 'default', 'no'],
  ] as const)
    assert.equal(
      await may(name, verb, resource, namespace),
      answer,
      `${name} ${verb} ${resource} ${namespace}`,
    );
}
