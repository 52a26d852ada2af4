import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { clusterApiCrds } from '../../support/controller/management-cluster.ts';
import type { Scene } from './scene.ts';

/** What the manifests and the documentation offer is accepted by a real API server and Cluster API's own CRDs. */
export async function manifests({ cluster, say }: Scene): Promise<void> {
  const apply = (file: string): Promise<string> =>
    cluster.api.kubectl(['apply', '--dry-run=server', `--filename=${join(root, 'manifests', file)}`]);
  for (const file of [
    'controller/service.yaml',
    'controller/deployment.yaml',
    'controller/network-policy.yaml',
    'controller/minter.yaml',
  ])
    assert.match(await apply(file), /created/);
  const named = readFileSync(join(root, 'manifests/namespace/rights.yaml'), 'utf8');
  const forDefault = readFileSync(join(root, 'manifests/rbac/default-namespace.yaml'), 'utf8');
  const bare = (text: string): string => text.replace(/^#.*\n|^ {2}namespace: default\n/gm, '');
  assert.equal(bare(forDefault), bare(named), 'the rights for default are those of any other namespace');
  if (clusterApiCrds().length > 1) {
    assert.match(await apply('samples/machine-deployment.yaml'), /created/);
    assert.match(await apply('samples/machine-health-check.yaml'), /created/);
    say('manifests and samples are accepted');
  } else
    say("manifests are accepted; the samples were not tried, for want of Cluster API's CRDs ($CAPI_CRDS)");
}
