import assert from 'node:assert/strict';
import type { KubeObject, ListOf } from '../../../src/controller/kube/objects.ts';
import { tokenSecretName } from '../../../src/controller/machines/minter.ts';
import { makeKind, makeObject, maySee } from '../../support/controller/infrastructure-objects.ts';
import { eventually } from '../../support/eventually.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { refused, reports } from './governed.ts';

const OTHER = `sha256:${'0'.repeat(64)}`;

/** Infrastructure objects name TPMs: of kinds that the installer lets the controller get. */
export async function infrastructure(
  scene: Scene,
  [one, two]: [MachineWithTpm, MachineWithTpm],
): Promise<void> {
  const { cluster, controller, say } = scene;
  for (const kind of ['DemoMachine', 'SecretMachine']) await makeKind(cluster, kind);
  await maySee(cluster, 'demomachines');

  await makeObject(cluster, 'SecretMachine', 'i1', one.endorsementKey);
  for (const name of ['i1', 'i2']) await cluster.createMachine(name, { infrastructureKind: 'SecretMachine' });
  const pool = await scene.poolToken();
  await enrols(scene, 'i1', pool);
  assert.equal(controller.log.split('may not get them').length, 2, 'the log says so once');
  say('a kind that the controller may not get names no TPM, and the log says so once');

  await makeObject(cluster, 'DemoMachine', 'i3', two.endorsementKey);
  await cluster.createMachine('i3');
  await reports(scene, two, 'i2');
  await cluster.conditionIs('i3', 'True');
  await assert.rejects(scene.machine({ hostname: 'i3' }).enrol(pool), /401/);
  const { spec } = await cluster.node('i3');
  assert.deepEqual([spec.machine?.by, spec.enrolment.endorsementKey], ['tpm', two.endorsementKey]);
  say("a Machine whose infrastructure object names a TPM is that TPM's, and takes no token");

  await makeObject(cluster, 'DemoMachine', 'i4', one.endorsementKey);
  await cluster.createMachine('i4', { endorsementKey: OTHER });
  await eventually('the Machine tells of the disagreement', async () => {
    const { items } = await cluster.client.request<ListOf<KubeObject & { reason: string; message: string }>>(
      'GET',
      '/api/v1/namespaces/default/events',
    );
    return items.some(
      ({ reason, message }) =>
        reason === 'EndorsementKeyForeign' &&
        message.includes(`names the TPM ${OTHER} itself, and its DemoMachine i4 names ${one.endorsementKey}`),
    );
  });
  await refused(scene, one, 'i4', /endorsement-key/);
  const why = `Machine default/i4 names ${OTHER} itself; that its DemoMachine i4 names ${one.endorsementKey}`;
  await eventually('the log says who disagrees', async () => controller.log.includes(why));
  say(
    'where a Machine and its infrastructure object name different TPMs, the Machine counts: refused by name',
  );

  await makeObject(cluster, 'DemoMachine', 'i5', OTHER);
  await cluster.createMachine('i5', { token: true });
  for (const name of ['i6', 'i7']) {
    await cluster.createMachine(name, { token: true });
    // What was asked for before has been looked at by then.
    await cluster.machineToken(name);
  }
  await assert.rejects(
    cluster.client.request('GET', `/api/v1/namespaces/default/secrets/${tokenSecretName('i5')}`),
    /not found/,
  );
  say('the minter makes no token for a Machine whose infrastructure object names a TPM');
}

async function enrols({ machine }: Scene, hostname: string, token: string): Promise<void> {
  let said = '';
  await eventually(`${hostname} enrols`, () =>
    machine({ hostname })
      .enrol(token)
      .then(
        () => true,
        (error: Error) => {
          said = error.message;
          return false;
        },
      ),
  ).catch((error: Error) => assert.fail(`${error.message}; it says: ${said}`));
}
