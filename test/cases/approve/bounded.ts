import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { COLLECTION, type SigningRequest } from '../../../src/controller/approve/signing-request.ts';
import { APPROVER } from '../../support/controller/api-server.ts';
import { knowsPolicies } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** What the approver's account may write even where somebody has given it all rights; Kubernetes 1.30 and newer. */
export async function bounded(scene: Scene): Promise<void> {
  const { api, client: admin } = scene.cluster;
  if (!(await knowsPolicies(api))) return;
  await api.kubectl(['apply', `--filename=${join(root, 'manifests/approver/policy.yaml')}`]);
  const binding = ['clusterrolebinding', 'all-rights-for-the-approver'];
  const who = '--serviceaccount=slipway-system:slipway-approver';
  await api.kubectl(['create', ...binding, '--clusterrole=cluster-admin', who]);
  const approver = api.client(APPROVER);
  try {
    const make = (name: string) =>
      approver.request('POST', '/api/v1/namespaces/kube-system/secrets', {
        body: { metadata: { name }, type: 'bootstrap.kubernetes.io/token' },
      });
    let made = 0;
    await eventually('the policy to count', async () => {
      made += 1;
      return make(`bootstrap-token-${made}`).then(
        () => false,
        (error: Error) => /decides certificate requests and writes Events/.test(error.message),
      );
    });
    const name = await scene.ask(admin, { node: 'b1' });
    const foreign = await scene.ask(admin, { node: 'b1' }, { signerName: 'example.com/mine' });
    await assert.rejects(
      approver.request('POST', COLLECTION, { body: { ...(await copyOf(scene, name)) } }),
      /decides certificate requests and writes Events/,
    );
    await assert.rejects(approver.request('DELETE', `${COLLECTION}/${name}`), /and nothing else/);
    await assert.rejects(approve(foreign), /requests of kubelets only/);
    await approve(name);
    assert.equal((await scene.read(name)).status?.conditions?.[0]?.type, 'Approved');
  } finally {
    approver.close();
    await api.kubectl(['delete', ...binding]);
  }
  scene.say(
    'with all rights in the cluster, its account decides requests of kubelets and writes nothing else',
  );

  async function approve(name: string): Promise<unknown> {
    const object = await scene.read(name);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'test' }];
    const body = { ...object, status: { ...object.status, conditions } };
    return await approver.request('PUT', `${COLLECTION}/${name}/approval`, { body });
  }
}

async function copyOf(scene: Scene, name: string): Promise<Partial<SigningRequest>> {
  const { spec } = await scene.read(name);
  const { request, signerName, usages = [] } = spec;
  return {
    ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' },
    metadata: { name: `${name}-copy` },
    spec: { request, signerName, usages },
  };
}
