import { strict as assert } from 'node:assert';
import { X509Certificate } from 'node:crypto';
import { COLLECTION, type SigningRequest } from '../../../src/controller/approve/signing-request.ts';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import type { Scene } from '../approve/scene.ts';
import type { KubeletMachine } from './kubelet-machine.ts';

/** One certificate while it is fresh, another one by another proof when it is due, and none that is about to end. */
export async function renewals(
  scene: Scene,
  machine: KubeletMachine,
  controller: ControllerProcess,
): Promise<void> {
  const { say } = scene;
  const first = await machine.give();
  const again = await Promise.all([machine.give(), machine.give(), machine.give()]);
  for (const { credential } of again) assert.deepEqual(credential, first.credential);
  const end = Date.parse(new X509Certificate(first.credential.certificate).validTo);
  assert.ok(first.until > Date.now() && first.until < end - 3_600_000);
  say('calls get one certificate while it is fresh, and are told to come again long before it ends');

  const { credential, trouble } = await machine.give(machine.after(330));
  assert.equal(trouble, undefined);
  assert.notEqual(credential.key, first.credential.key);
  assert.deepEqual(await askers(scene, machine.name), [
    'system:bootstrap:abcdef',
    `system:node:${machine.name}`,
  ]);
  say('one that is due is renewed with a new key and a new proof, by the node itself');

  await controller.end('SIGKILL');
  const kept = await machine.give(machine.after(330));
  assert.equal(kept.credential.key, credential.key);
  assert.match(kept.trouble?.message ?? '', /ECONNREFUSED|refuse|localhost/);
  await assert.rejects(machine.give(machine.after(364.99)), /localhost/);
  say('without a controller it goes on with the one that is there, and gives out none in its last hour');
}

/** Who has asked for a node's certificates by proofs of its machine. */
async function askers({ cluster }: Scene, node: string): Promise<string[]> {
  const { items } = await cluster.client.request<ListOf<SigningRequest>>('GET', COLLECTION);
  const own = items.filter(({ metadata, status }) => {
    const certificate = Buffer.from(status?.certificate ?? '', 'base64').toString();
    if (!metadata.name.startsWith('slipway-') || certificate === '') return false;
    return new X509Certificate(certificate).subject.endsWith(`CN=system:node:${node}`);
  });
  return own.map(({ spec }) => spec.username ?? '').sort();
}
