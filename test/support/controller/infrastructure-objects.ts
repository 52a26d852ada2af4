import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { ENDORSEMENT_KEY } from '../../../src/controller/machines/machine.ts';
import { waitUntilEstablished } from './established.ts';
import type { ManagementCluster } from './management-cluster.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';

/** A kind of infrastructure object, such as only an installer knows. */
export async function makeKind({ api }: ManagementCluster, kind: string): Promise<void> {
  const singular = kind.toLowerCase();
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const path = join(api.dir, `${singular}.json`);
  writeFileSync(
    path,
    JSON.stringify({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `${singular}s.${GROUP}` },
      spec: {
        ...{ group: GROUP, scope: 'Namespaced', versions: [version] },
        names: { kind, singular, plural: `${singular}s`, listKind: `${kind}List` },
      },
    }),
  );
  await api.kubectl(['apply', '--validate=false', `--filename=${path}`]);
  await waitUntilEstablished((words) => api.kubectl(words), [`crd/${singular}s.${GROUP}`]);
}

/** Slipway's programs may read this kind, as an installer lets them by the sample. */
export async function maySee({ api }: ManagementCluster, resource: string): Promise<void> {
  const path = join(api.dir, 'infrastructure-reader.yaml');
  const sample = readFileSync(join(root, 'manifests/samples/infrastructure-reader.yaml'), 'utf8');
  writeFileSync(path, sample.replace(/^( +- )metal3machines$/m, `$1${resource}`));
  await api.kubectl(['apply', `--filename=${path}`]);
}

/** An infrastructure object that names a TPM. */
export async function makeObject(
  { client }: ManagementCluster,
  kind: string,
  name: string,
  key: string,
): Promise<void> {
  const metadata = { name, namespace: 'default', annotations: { [ENDORSEMENT_KEY]: key } };
  const path = `/apis/${GROUP}/v1/namespaces/default/${kind.toLowerCase()}s`;
  await client.request('POST', path, { body: { apiVersion: `${GROUP}/v1`, kind, metadata } });
}
