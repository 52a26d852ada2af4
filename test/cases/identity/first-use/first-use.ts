import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ListOf } from '../../../../src/controller/kube/objects.ts';
import type { NodeBootstrap } from '../../../../src/controller/store/node-bootstrap.ts';
import { eventually } from '../../../support/eventually.ts';
import type { MachineWithTpm } from '../../../support/tpm/software-tpm.ts';
import type { Scene } from '../../hostile/scene.ts';
import { attestedIs, POLICIES, reports } from '../governed.ts';
import { reasons } from './reasons.ts';
import { unvouched } from './unvouched.ts';

const MANIFESTS = join(import.meta.dirname, '../../../../manifests');
const SAMPLE = join(MANIFESTS, 'samples/node-identity-policy.yaml');
const RIGHTS = join(MANIFESTS, 'namespace/rights.yaml');

/** What a key is worth for which nobody vouches, what the policy of the manifests takes, and who keeps a TPM that others name. */
export async function firstUses(scene: Scene, [one, two]: [MachineWithTpm, MachineWithTpm]): Promise<void> {
  await unvouched(scene, two);
  await sample(scene, one);
  await namedElsewhere(scene, one);
}

/** The policy that comes with the manifests, as it is. */
async function sample(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  await cluster.api.kubectl(['apply', '--filename', SAMPLE]);
  await eventually('the controller has the policy', async () => {
    const { status } = await cluster.client.request<{ status?: { valid?: boolean } }>(
      'GET',
      `${POLICIES}/workers`,
    );
    return status?.valid;
  });
  const { endorsementKey } = machine;
  await cluster.createMachine('worker-1', { cluster: 'my-cluster', endorsementKey });
  await reports(scene, machine, 'worker-1');
  const { message } = await attestedIs(scene, 'worker-1', 'True', 'ProvedByTpm');
  assert.match(message, /Policies: workers\.$/);
  say('a machine proves itself under the policy of the manifests');
}

/** Another tenant names the TPM. */
async function namedElsewhere(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  const { endorsementKey } = machine;
  await cluster.api.kubectl(['create', 'namespace', 'tenant']);
  await cluster.api.kubectl(['apply', '--namespace', 'tenant', '--filename', RIGHTS]);
  await cluster.createMachine('theirs', { namespace: 'tenant', endorsementKey });
  await eventually('both sides are told', async () =>
    [await reasons(scene, 'worker-1'), await reasons(scene, 'theirs', 'tenant')].every((of) =>
      of.includes('EndorsementKeyContested'),
    ),
  );
  for (const _ of [1, 2]) {
    await reports(scene, machine, 'worker-1');
    assert.equal((await cluster.node('worker-1')).spec.machine?.by, 'tpm');
  }
  const { items } = await cluster.client.request<ListOf<NodeBootstrap>>(
    'GET',
    '/apis/slipway.dev/v1alpha1/namespaces/tenant/nodebootstraps',
  );
  assert.deepEqual(items, []);
  await attestedIs(scene, 'worker-1', 'True', 'ProvedByTpm');
  say("a proved machine keeps its Machine, whatever another namespace's Machine names, and both are told");
}
