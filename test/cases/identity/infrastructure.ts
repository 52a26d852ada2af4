import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import type { KubeObject, ListOf } from '../../../src/controller/kube/objects.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import { eventually, type Scene } from '../hostile/scene.ts';
import { refused, reports } from './governed.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const KEY = 'slipway.dev/endorsement-key';
const OTHER = `sha256:${'0'.repeat(64)}`;

/** Infrastructure objects name TPMs: of kinds that the installer lets the controller get. */
export async function infrastructure(
  scene: Scene,
  [one, two]: [MachineWithTpm, MachineWithTpm],
): Promise<void> {
  const { cluster, controller, say } = scene;
  for (const kind of ['DemoMachine', 'SecretMachine']) await makeKind(scene, kind);
  await maySee(scene, 'demomachines');

  await makeObject(scene, 'SecretMachine', 'i1', one.endorsementKey);
  for (const name of ['i1', 'i2']) await cluster.createMachine(name, { infrastructureKind: 'SecretMachine' });
  const pool = await scene.poolToken();
  await enrols(scene, 'i1', pool);
  assert.equal(controller.log.split('may not get them').length, 2, 'the log says so once');
  say('a kind that the controller may not get names no TPM, and the log says so once');

  await makeObject(scene, 'DemoMachine', 'i3', two.endorsementKey);
  await cluster.createMachine('i3');
  await reports(scene, two, 'i2');
  await cluster.conditionIs('i3', 'True');
  await assert.rejects(scene.machine({ hostname: 'i3' }).enrol(pool), /401/);
  const { spec } = await cluster.node('i3');
  assert.deepEqual([spec.machine?.by, spec.enrolment.endorsementKey], ['tpm', two.endorsementKey]);
  say("a Machine whose infrastructure object names a TPM is that TPM's, and takes no token");

  await makeObject(scene, 'DemoMachine', 'i4', one.endorsementKey);
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

async function makeKind({ cluster: { api } }: Scene, kind: string): Promise<void> {
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
  await api.kubectl(['wait', '--for=condition=Established', `crd/${singular}s.${GROUP}`, '--timeout=60s']);
}

/** As an installer does by the sample. */
async function maySee({ cluster: { api } }: Scene, resource: string): Promise<void> {
  const path = join(api.dir, 'infrastructure-reader.yaml');
  const sample = readFileSync(join(root, 'manifests/samples/infrastructure-reader.yaml'), 'utf8');
  writeFileSync(path, sample.replace(/^( +- )metal3machines$/m, `$1${resource}`));
  await api.kubectl(['apply', `--filename=${path}`]);
}

async function makeObject(
  { cluster: { client } }: Scene,
  kind: string,
  name: string,
  key: string,
): Promise<void> {
  const metadata = { name, namespace: 'default', annotations: { [KEY]: key } };
  const path = `/apis/${GROUP}/v1/namespaces/default/${kind.toLowerCase()}s`;
  await client.request('POST', path, { body: { apiVersion: `${GROUP}/v1`, kind, metadata } });
}
