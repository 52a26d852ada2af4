import { strict as assert } from 'node:assert';
import { X509Certificate } from 'node:crypto';
import { collectionPath, objectPath } from '../../../src/controller/store/node-bootstrap.ts';
import { makeKind, makeObject, maySee } from '../../support/controller/infrastructure-objects.ts';
import type { Scene } from './scene.ts';

/** What kubelets of Machines ask for they get, and what is not known is left alone. */
export async function kubelets(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  await cluster.createMachine('n1');
  const early = await scene.ask(scene.bootstrap, { node: 'n1' });
  // Its Cluster has no kubeconfig yet.
  await scene.approve();
  await scene.kubeconfig('demo');
  assert.match(await scene.signed(early), /BEGIN CERTIFICATE/);
  say('a request from before the approver, whose Cluster got its kubeconfig later');

  await cluster.createMachine('n2');
  const { client } = await scene.join('n2');
  const serving = await scene.ask(client, { node: 'n2', use: 'serving' });
  await scene.told(serving, /says nothing of its addresses yet/);
  await scene.addresses('n2', [{ type: 'InternalIP', address: '10.0.0.7' }]);
  const certificate = new X509Certificate(await scene.signed(serving));
  assert.equal(certificate.subjectAltName, 'DNS:n2, IP Address:10.0.0.7');
  await scene.signed(await scene.ask(client, { node: 'n2' }));
  say(
    "a node's first certificate by its token, its serving certificate once its Machine has addresses, a renewal by itself",
  );

  const unknown = await scene.ask(scene.bootstrap, { node: 'n3' });
  await scene.told(unknown, /no Machine of Cluster default\/demo is node n3/);
  await cluster.createMachine('n3');
  await scene.signed(unknown);
  say('a request from before its Machine');

  const others = [
    await scene.ask(client, { node: 'n2' }, { signerName: 'example.com/mine' }),
    await scene.ask(cluster.client, { node: 'n2' }),
    await scene.ask(scene.bootstrap, { node: 'nobody' }),
  ];
  await scene.told(others[2] ?? '', /no Machine/);
  for (const name of others) assert.equal((await scene.read(name)).status?.conditions, undefined);
  say("another signer's, an administrator's and nobody's are left alone");

  await guarded(scene);
  await withTpm(scene);
}

/** A policy demands a proof, which a NodeBootstrap is. */
async function guarded(scene: Scene): Promise<void> {
  const { client } = scene.cluster;
  await client.request('POST', '/apis/slipway.dev/v1alpha1/namespaces/default/nodeidentitypolicies', {
    body: {
      ...{ apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeIdentityPolicy', metadata: { name: 'guarded' } },
      spec: { selector: { machine: 'g1' }, method: 'token' },
    },
  });
  const { metadata } = await scene.cluster.createMachine('g1');
  const first = await scene.ask(scene.bootstrap, { node: 'g1' });
  await scene.told(first, /not proved itself yet, as policy guarded demands/);
  await client.request('POST', collectionPath('default'), {
    body: {
      ...{ apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeBootstrap', metadata: { name: 'g1' } },
      spec: {
        ...{ instance: 'i-g1', hostname: 'g1', keyDigest: '0'.repeat(64) },
        enrolment: { method: 'machine-token', at: new Date().toISOString() },
        machine: { name: 'g1', uid: metadata.uid, by: 'token' },
      },
    },
  });
  await scene.signed(first);
  const admission = { state: 'Quarantined', at: new Date().toISOString() };
  await client.request('PATCH', objectPath('default', 'g1'), {
    body: { spec: { admission } },
    contentType: 'application/merge-patch+json',
  });
  const again = await scene.ask(scene.bootstrap, { node: 'g1' });
  await scene.denied(again, /node g1 is Machine default\/g1: its NodeBootstrap is quarantined/);
  scene.say('under a policy, after its machine has proved itself, and none in quarantine');
}

/** Its infrastructure object names a TPM, and the approver may get that kind. */
async function withTpm(scene: Scene): Promise<void> {
  const { cluster } = scene;
  await makeKind(cluster, 'MetalMachine');
  await maySee(cluster, 'metalmachines');
  await makeObject(cluster, 'MetalMachine', 't1', `sha256:${'0'.repeat(64)}`);
  await cluster.createMachine('t1', { infrastructureKind: 'MetalMachine' });
  const request = await scene.ask(scene.bootstrap, { node: 't1' });
  await scene.told(request, /not proved itself yet, as the TPM that is named for it demands/);
  scene.say('and none for a token alone where the infrastructure object names a TPM');
}
