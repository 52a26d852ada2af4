import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { root } from '../../../build/project.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { KubeError } from '../../../src/controller/kube/kube-error.ts';
import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import type { Scene } from './scene.ts';

/** API servers look at the label of the namespace since. */
const FIRST_MINOR = 25;
const OURS = ['controller/deployment.yaml', 'controller/minter.yaml', 'approver/deployment.yaml'];
const CONTAINER = { name: 'x', image: 'x' };
const SAFE = {
  ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Nobody who may make pods in the controller's namespace gets the host by one; the controller's own are let in. */
export async function pods({ cluster: { client }, say }: Scene): Promise<void> {
  const { minor } = await kubernetesRelease();
  if (minor < FIRST_MINOR) return say('this API server looks at no pod: it is older than that');
  const safe = { ...CONTAINER, securityContext: SAFE };
  const evil: object[] = [
    { containers: [{ ...CONTAINER, securityContext: { privileged: true } }] },
    { containers: [safe], hostNetwork: true },
    { containers: [safe], hostPID: true },
    { containers: [safe], volumes: [{ name: 'x', hostPath: { path: '/' } }] },
    { containers: [{ ...safe, securityContext: { ...SAFE, runAsUser: 0 } }] },
  ];
  for (const spec of evil) {
    const error = await make(client, spec).catch((caught: unknown) => caught);
    assert.ok(error instanceof KubeError, `it was taken: ${JSON.stringify(spec)}`);
    assert.match(error.message, /violates PodSecurity "restricted/);
  }
  await make(client, { containers: [safe] });
  for (const file of OURS)
    for (const document of loadAll(readFileSync(join(root, 'manifests', file), 'utf8'))) {
      const { kind, spec } = document as { kind: string; spec: { template?: { spec: object } } };
      if (kind === 'Deployment') await make(client, spec.template?.spec ?? {});
    }
  say('by its label the namespace takes no pod with rights of the host, and the pods of the manifests');
}

function make(client: KubeClient, spec: object): Promise<unknown> {
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec };
  return client.request('POST', '/api/v1/namespaces/slipway-system/pods', { body, query: { dryRun: 'All' } });
}
