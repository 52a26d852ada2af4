import { strict as assert } from 'node:assert';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import { collectionPath, type NodeBootstrap } from '../../../src/controller/store/node-bootstrap.ts';
import { type ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import type { Scene } from './scene.ts';

/** A node is found to be its Machine by token, by provider ID, by name, in that order; by nothing else. */
export async function ties(scene: Scene, controller: ControllerProcess): Promise<void> {
  const { cluster, say } = scene;
  await cluster.createMachine('by-token', { token: true });
  await cluster.createMachine('by-id', { providerID: 'demo:///by-id' });
  await cluster.createMachine('by-name');
  const pool = await poolToken(scene);
  await cluster.knownTo(controller);

  const wrongClaims = scene.machine(controller, { hostname: 'by-name', providerID: 'demo:///by-id' });
  await wrongClaims.enrol(await cluster.machineToken('by-token'));
  assert.deepEqual(await tieOf(scene, 'by-token'), 'token');
  const byId = scene.machine(controller, { hostname: 'by-name', providerID: 'demo:///by-id' });
  await byId.enrolSoon(pool);
  assert.deepEqual(await tieOf(scene, 'by-id'), 'providerID');
  const byName = scene.machine(controller, { hostname: 'by-name.example.org' });
  await byName.enrol(pool);
  assert.deepEqual(await tieOf(scene, 'by-name'), 'name');
  say('by token, by provider ID, by name');

  const late = scene.machine(controller, { hostname: 'late', providerID: 'demo:///late' });
  await late.enrol(pool);
  late.tell({
    type: 'sequence.ended',
    sequence: 's',
    mode: 'bootstrap',
    result: 'succeeded',
    exitStatus: 0,
    ms: 5,
  });
  await late.report();
  await cluster.createMachine('late-machine', { providerID: 'demo:///late' });
  await cluster.conditionIs('late-machine', 'True');
  const tied = (
    await cluster.client.request<ListOf<NodeBootstrap>>('GET', collectionPath('default'))
  ).items.find(({ spec }) => spec.machine?.name === 'late-machine');
  assert.equal(tied?.metadata.ownerReferences?.[0]?.name, 'late-machine');
  say('a Machine that comes after its node is tied then');

  const thief = scene.machine(controller, { hostname: 'by-name' });
  await assert.rejects(thief.enrol(pool), /401/);
  const joined = await cluster.createMachine('joined');
  await cluster.client.request(
    'PATCH',
    `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/joined/status`,
    {
      body: { status: { nodeRef: { name: 'joined' } } },
      contentType: 'application/merge-patch+json',
    },
  );
  await cluster.createMachine('after-joined');
  await cluster.knownTo(controller);
  await assert.rejects(scene.machine(controller, { hostname: 'joined' }).enrol(pool), /401/);
  assert.ok(joined.metadata.uid);
  say("a pool's token takes over no Machine that has a node");
  for (const machine of [wrongClaims, byId, byName, late, thief]) machine.hangUp();
}

/** By the command that a person uses. */
export async function poolToken({ cluster }: Scene): Promise<string> {
  const words = ['token', '--namespace=default', '--ttl=1h', `--kubeconfig=${cluster.api.kubeconfig()}`];
  const { code, stdout, stderr } = await controllerCommand(words);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

async function tieOf({ cluster }: Scene, name: string): Promise<string | undefined> {
  const { spec, metadata } = await cluster.node(name);
  assert.equal(metadata.ownerReferences?.[0]?.name, name);
  return spec.machine?.by;
}
