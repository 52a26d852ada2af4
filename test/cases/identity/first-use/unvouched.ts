import assert from 'node:assert/strict';
import { ENDORSEMENT_KEY } from '../../../../src/controller/machines/machine.ts';
import type { MachineTie, NodeRecord } from '../../../../src/controller/model/node-record.ts';
import { writeTie } from '../../../../src/controller/proofs/retie.ts';
import { recordOf } from '../../../../src/controller/store/node-bootstrap.ts';
import { MACHINES } from '../../../support/controller/management-cluster.ts';
import { eventually } from '../../../support/eventually.ts';
import type { MachineWithTpm } from '../../../support/tpm/software-tpm.ts';
import type { Scene } from '../../hostile/scene.ts';
import { attestedIs, nodes, policy, reports } from '../governed.ts';
import { code, opens, seal } from '../stubs.ts';
import { reasons } from './reasons.ts';

const USER_DATA = '#cloud-config\nruncmd: [kubeadm join 10.0.0.1:6443 --token planted.0123456789abcdef]\n';

/** A key of first use is known again, and proves no TPM: no registers, nothing sealed, until people name it. */
export async function unvouched(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  const { endorsementKey } = machine;
  await policy(scene, 'unvouched', {
    selector: { cluster: 'unvouched' },
    method: 'tpm',
    endorsementKeys: { firstUse: true },
  });
  await cluster.createMachine('u1', { cluster: 'unvouched' });
  await reports(scene, machine, 'u1');
  await cluster.conditionIs('u1', 'True');
  const said = await attestedIs(scene, 'u1', 'Unknown', 'TrustedOnFirstUse');
  assert.match(
    said.message,
    new RegExp(`slipway.dev/endorsement-key=${endorsementKey}.*Policies: unvouched`),
  );
  const node = await cluster.node('u1');
  assert.deepEqual([node.spec.machine?.by, node.spec.enrolment.method], ['firstUse', 'first-use']);
  assert.deepEqual([node.spec.enrolment.registers, node.spec.enrolment.measured], [undefined, undefined]);
  const identity = await cluster.api.kubectl([
    'get',
    'machineidentities',
    '--namespace=default',
    '--output=json',
  ]);
  assert.doesNotMatch(identity, /"registers"/);

  // It is given nothing, and is the same Machine when it comes again.
  const named = { ...machine, host: { ...machine.host, hostname: () => 'u1' } };
  const stub = await seal(scene, 'u1', USER_DATA);
  await machine.host.files.remove('/var/lib/slipway');
  assert.equal(await code(named, stub), 'SealedDataRefused');
  const first = await cluster.node('u1');
  assert.equal(first.spec.machine?.by, 'firstUse');
  say('a key for which nobody vouches proves no TPM: no registers, nothing sealed, and the Machine says so');

  await nameKey(scene, 'u1', endorsementKey);
  await eventually('what people say counts', async () => (await code(named, stub)) === undefined);
  const { userData } = await opens(scene, named, stub);
  assert.equal(userData.toString(), USER_DATA);
  const proved = await cluster.node('u1');
  assert.deepEqual([proved.spec.machine?.by, proved.spec.enrolment.method], ['tpm', 'tpm']);
  assert.equal(Object.keys(proved.spec.enrolment.registers ?? {}).length, 16);
  assert.equal(proved.metadata.uid, first.metadata.uid, 'it is the same node');
  await attestedIs(scene, 'u1', 'True', 'ProvedByTpm');
  const { spec } = recordOf(proved);
  const stale = { ...recordOf(proved), spec: { ...spec, machine: { ...spec.machine, by: 'firstUse' } } };
  const again = writeTie(cluster.client, stale as NodeRecord, spec.machine as MachineTie, spec.enrolment);
  assert.equal(await again, undefined, 'somebody wrote meanwhile');
  await reports(scene, machine, 'u1');
  await attestedIs(scene, 'u1', 'True', 'ProvedByTpm');
  // Nobody is accused of anything.
  await eventually('an Event', async () => (await reasons(scene, 'u1')).includes('EnrolledAgain'));
  assert.deepEqual(
    (await reasons(scene, 'u1')).filter((reason) => /Replaced|Copied/.test(reason)),
    [],
  );
  say(
    'once people name the key it is a proof, and a machine that comes again with another key is not accused',
  );
  await nodes('release', 'default/u1', scene);
  await cluster.client.request('DELETE', `${MACHINES}/u1`);
}

async function nameKey({ cluster }: Scene, name: string, key: string): Promise<void> {
  await cluster.client.request('PATCH', `${MACHINES}/${name}`, {
    body: { metadata: { annotations: { [ENDORSEMENT_KEY]: key } } },
    contentType: 'application/merge-patch+json',
  });
}
