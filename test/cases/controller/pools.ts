import { strict as assert } from 'node:assert';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import { CONDITION, type Condition } from '../../../src/controller/machines/machine.ts';
import { type PoolObject, poolsPath } from '../../../src/controller/pools/pool.ts';
import {
  collectionPath,
  type NodeBootstrap,
  objectPath,
} from '../../../src/controller/store/node-bootstrap.ts';
import { type ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { groupObject } from '../../support/controller/group-object.ts';
import type { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, FAILURE, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';

/** What machines of a MachinePool tell is said on the pool: those without Machines, and those that are Machines. */
export async function pools(
  cluster: ManagementCluster,
  controller: Pick<ControllerProcess, 'port' | 'adminPort'>,
  ca: string,
  say: (line: string) => void,
): Promise<void> {
  const { client, version } = cluster;
  const path = poolsPath(version, 'default');
  await client.request('POST', path, { body: groupObject(version, 'MachinePool', 'pool') });
  await cluster.createMachine('of-pool', { labels: { 'cluster.x-k8s.io/pool-name': 'pool' } });
  await cluster.knownTo(controller);
  const token = await tokenOf(cluster);
  const tell = async (hostname: string, failed: boolean): Promise<void> => {
    const machine = new SimulatedMachine({ port: controller.port, ca, hostname, instance: hostname });
    await machine.enrolSoon(token);
    for (const body of bootstrapEvents(20, failed)) machine.tell(body);
    await machine.report();
    machine.hangUp();
  };
  const says = (status: Condition['status'], message: RegExp): Promise<unknown> =>
    eventually(`the pool to be ${status}: ${message}`, async () => {
      const condition = conditionOf(await client.request<PoolObject>('GET', `${path}/pool`), cluster);
      return condition?.status === status && message.test(condition.message);
    });
  await tell('pool-1', false);
  await says('True', /^1 machine bootstrapped\.$/);
  await tell('pool-2', true);
  await says('False', /^1 of 2 machines failed to bootstrap: pool-2-\w+\. The latest, pool-2-\w+: /);
  await eventually('an Event on the pool', async () => {
    const { items } = JSON.parse(
      await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']),
    ) as { items: { involvedObject: { kind: string; name: string }; reason: string }[] };
    return items.some(
      ({ involvedObject: { kind, name }, reason }) =>
        kind === 'MachinePool' && name === 'pool' && reason === FAILURE.code,
    );
  });
  // A Machine that the pool's infrastructure made has a condition of its own, and counts here, too.
  await tell('of-pool', false);
  assert.equal((await cluster.conditionIs('of-pool', 'True')).reason, 'Bootstrapped');
  await says('False', /^1 of 3 machines failed/);
  const { items } = await client.request<ListOf<NodeBootstrap>>('GET', collectionPath('default'));
  const failed = items.find(({ spec }) => spec.hostname === 'pool-2');
  await client.request('DELETE', objectPath('default', failed?.metadata.name ?? ''));
  await says('True', /^2 machines bootstrapped\.$/);
  const kept = await client.request<PoolObject>('GET', `${path}/pool`);
  assert.equal(kept.metadata.labels?.['slipway.dev/capacity'], '');
  say('a MachinePool says how many of its machines failed and why, and when all are well; an Event tells it');
}

function conditionOf({ status = {} }: PoolObject, { version }: ManagementCluster): Condition | undefined {
  const conditions = version === 'v1beta2' ? status.conditions : status.v1beta2?.conditions;
  return conditions?.find(({ type }) => type === CONDITION);
}

async function tokenOf(cluster: ManagementCluster): Promise<string> {
  const { code, stdout, stderr } = await controllerCommand([
    ...['token', 'create', '--namespace=default', '--owner=MachinePool/pool', '--ttl=1h'],
    `--kubeconfig=${cluster.api.kubeconfig()}`,
  ]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}
