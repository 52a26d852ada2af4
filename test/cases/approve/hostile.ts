import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { dns, ip, type Wish } from '../../../src/controller/approve/fixtures/requests.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { OID } from '../../../src/pki/oids.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

const O = [OID.organization, 'system:nodes'] as const;
const CN = [OID.commonName, 'system:node:h1'] as const;

/** Nodes and tokens that want what is not theirs. */
export async function hostile(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  for (const name of ['h1', 'h2']) await cluster.createMachine(name);
  await scene.addresses('h1', [{ type: 'InternalIP', address: '10.0.0.7' }]);
  const { client: node } = await scene.join('h1');
  const token = scene.bootstrap;
  const serving = { node: 'h1', use: 'serving' } as const;
  const all: [who: KubeClient, wish: Wish, because: RegExp, spec?: object][] = [
    [node, { node: 'h2' }, /system:node:h1 asks for a certificate of system:node:h2/],
    [node, { ...serving, node: 'h2' }, /system:node:h1 asks for a certificate of system:node:h2/],
    [token, { ...serving, names: [dns('h1')] }, /only the node itself may/],
    [token, { subject: [O, [OID.organization, 'system:masters'], CN] }, /subject is not/],
    [
      token,
      {
        subject: [
          [OID.organization, 'system:masters'],
          [OID.commonName, 'admin'],
        ],
      },
      /system:masters/,
    ],
    [token, { node: 'h2', names: [dns('kubernetes.default.svc')] }, /kubernetes\.default\.svc/],
    [node, { ...serving, names: [dns('h1'), dns('kubernetes')] }, /not its Machine's: kubernetes/],
    [node, { ...serving, names: [ip(10, 96, 0, 1)] }, /not its Machine's: 10\.96\.0\.1/],
    [node, { ...serving, names: [dns('h1'), [0x86, Buffer.from('spiffe://x/y')]] }, /a URI/],
    [node, { node: 'h1' }, /usages are/, { usages: ['server auth', 'client auth', 'digital signature'] }],
    [node, serving, /usages are/, { usages: ['client auth', 'digital signature', 'key encipherment'] }],
    [node, { node: 'h1', keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) }, /1024 bits/],
    [node, { node: 'h1', extensions: [['1.2.3.4', Buffer.alloc(20_000)]] }, /more than 16 KiB/],
  ];
  for (const [who, wish, because, spec] of all) {
    const name = await scene.ask(who, wish, spec);
    await scene.denied(name, because);
    assert.equal((await scene.read(name)).status?.certificate, undefined);
  }
  say(`${all.length} requests for what is not theirs are denied, each with its reason`);

  await eventually('an Event on the Machine', async () => {
    const events = await cluster.api.kubectl(['--namespace=default', 'get', 'events', '--output=json']);
    return /"name": "h1\./.test(events) && /CertificateDenied/.test(events);
  });
  const two = [await scene.ask(token, { node: 'h2' }), await scene.ask(token, { node: 'h2' })];
  await eventually('a certificate for one of two', async () => {
    const found = await Promise.all(two.map((name) => scene.read(name)));
    return found.filter(({ status }) => status?.certificate).length === 1;
  });
  say('of two that ask for one node, one gets it, and the Machine has an Event of what was denied');

  const can = async (verb: string, group: string, resource: string, more: object = {}): Promise<boolean> => {
    const spec = {
      user: 'system:serviceaccount:slipway-system:slipway-approver',
      resourceAttributes: { namespace: 'default', verb, group, resource, ...more },
    };
    const { status } = await cluster.client.request<{ status: { allowed: boolean } }>(
      ...(['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'] as const),
      { body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec } },
    );
    return status.allowed;
  };
  const certificates = 'certificates.k8s.io';
  const ofSigner = (name: string) => can('approve', certificates, 'signers', { namespace: '', name });
  assert.deepEqual(
    await Promise.all([
      ...[can('create', '', 'secrets'), can('list', '', 'secrets'), can('patch', '', 'secrets')],
      can('get', '', 'secrets', { namespace: 'kube-system' }),
      can('create', certificates, 'certificatesigningrequests', { namespace: '' }),
      can('patch', 'cluster.x-k8s.io', 'machines', { subresource: 'status' }),
      ofSigner('kubernetes.io/kube-apiserver-client'),
      ofSigner('kubernetes.io/kubelet-serving'),
    ]),
    [false, false, false, false, false, false, false, true],
  );
  say('its rights are to approve for two signers and to write Events');
}
