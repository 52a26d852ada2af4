import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { CONDITION, machinesPath } from '../../../src/controller/machines/machine.ts';
import { CONTROLLER, MINTER } from '../../support/controller/api-server.ts';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import { knowsPolicies, ManagementCluster } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { groupsByPolicy, groupsByRights, makeGroups } from './groups.ts';
import { refused } from './refused.ts';
import type { Scene } from './scene.ts';

const MERGE = 'application/merge-patch+json';
const NAME = 'of-somebody';

/** Somebody has the tokens of the two ServiceAccounts: what that is good for, and what it is no longer good for. */
export async function rights(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  await cluster.api.kubectl(['create', 'namespace', 'unnamed']);
  for (const namespace of ['default', 'unnamed']) await cluster.createMachine(NAME, { namespace });
  await makeGroups(cluster.client, 'v1beta2');
  const [controller, minter] = [cluster.api.client(CONTROLLER), cluster.api.client(MINTER)];
  try {
    await makePoolSecret(scene);
    await byRights(controller, minter);
    await poolSecretByRights(minter);
    await groupsByRights(controller, 'v1beta2');
    await unnamed(scene);
    say(
      'by its rights the controller writes no Secret outside of its namespace, and nothing where nobody named it',
    );
    if (await knowsPolicies(cluster.api)) {
      await byPolicy(scene, controller, minter);
      await onOlder();
      say(
        'by policy, whatever its rights: no nodeRef, phase or condition of others, of groups capacity alone, and Secrets of two kinds',
      );
    } else say('this API server knows no ValidatingAdmissionPolicy: rights alone');
  } finally {
    controller.close();
    minter.close();
  }
}

/** A machine of a namespace that nobody named is told to come again, and the log says what is missing. */
async function unnamed({ controller, machine, poolToken }: Scene): Promise<void> {
  const token = await poolToken('--namespace=unnamed');
  const stranger = machine({ hostname: NAME });
  // The token is known a moment later.
  const isPutOff = (): Promise<boolean> =>
    stranger.enrol(token).then(
      () => Promise.reject(new Error('it enrolled where nobody named the namespace')),
      (error: Error) => /503 \{"error":"unavailable"\}/.test(error.message),
    );
  // Another 503 may come before that, and its answer before the log's line.
  const missing = /--namespace unnamed --filename manifests\/namespace\/rights.yaml/;
  await eventually(
    'it is told to come again, and the log says what is missing',
    async () => missing.test(controller.log) || ((await isPutOff()) && missing.test(controller.log)),
  );
}

async function byRights(controller: KubeClient, minter: KubeClient): Promise<void> {
  for (const client of [controller, minter]) {
    for (const namespace of ['kube-system', 'unnamed'])
      await refused(403, create(client, secret(namespace, 'bootstrap-token-abcdef', BOOTSTRAP)));
    await refused(403, client.request('GET', '/api/v1/namespaces/default/secrets/any'));
    await refused(403, client.request('GET', '/api/v1/namespaces/kube-system/secrets'));
  }
  await refused(403, create(controller, secret('default', 'my-cluster-ca', 'cluster.x-k8s.io/secret')));
  await refused(403, patchStatus(controller, 'unnamed', { conditions: [] }));
  const event = { metadata: { name: 'x', namespace: 'unnamed' }, apiVersion: 'v1', kind: 'Event' };
  await refused(403, controller.request('POST', '/api/v1/namespaces/unnamed/events', { body: event }));
  const nodes = '/apis/slipway.dev/v1alpha1/namespaces/unnamed/nodebootstraps';
  await refused(403, controller.request('POST', nodes, { body: {} }));
  // The minter reads one Secret and no more, and writes nothing but Secrets.
  await refused(403, patchStatus(minter, 'default', { conditions: [] }));
  await refused(403, create(minter, secret('slipway-system', 'slipway-token-x', 'slipway.dev/token-hash')));
  await refused(403, minter.request('GET', '/api/v1/namespaces/slipway-system/secrets/other'));
  const home = '/api/v1/namespaces/slipway-system/secrets';
  await refused(403, minter.request('GET', `${home}/slipway-controller-ca`));
  await minter.request('GET', `${home}/slipway-controller-token-key`);
}

/** Both may do all things now, as where an installer gave too much. */
async function byPolicy(
  { cluster }: Pick<Scene, 'cluster'>,
  controller: KubeClient,
  minter: KubeClient,
): Promise<void> {
  const accounts = ['controller', 'minter'].map((name) => `--serviceaccount=slipway-system:slipway-${name}`);
  const binding = ['clusterrolebinding', 'slipway-all'];
  await cluster.api.kubectl(['create', ...binding, '--clusterrole=cluster-admin', ...accounts]);
  try {
    await eventually('the rights count', () =>
      controller.request('GET', '/api/v1/namespaces/kube-system/secrets').then(
        () => true,
        () => false,
      ),
    );
    await policiesCount(() => create(controller, secret('kube-system', 'x', 'Opaque')));
    await secrets(controller, minter);
    await poolSecretByPolicy(controller, minter);
    await statuses(cluster.client, controller, 'v1beta2');
    await groupsByPolicy(controller, 'v1beta2');
    // Nothing else of Cluster API, whoever it is.
    for (const client of [controller, minter])
      await refused(422, patchMachine(client, { metadata: { labels: { a: 'b' } } }));
  } finally {
    await cluster.api.kubectl(['delete', ...binding]);
  }
}

/** Where Cluster API serves nothing newer, conditions of the newer kind are in another place. */
async function onOlder(): Promise<void> {
  const cluster = await ManagementCluster.start(undefined, 'v1beta1');
  const controller = cluster.api.client(CONTROLLER);
  try {
    await cluster.createMachine(NAME);
    await makeGroups(cluster.client, 'v1beta1');
    await policiesCount(() => patchStatus(controller, 'default', { phase: 'Failed' }, 'v1beta1'));
    await statuses(cluster.client, controller, 'v1beta1');
    await groupsByPolicy(controller, 'v1beta1');
  } finally {
    controller.close();
    await cluster.close();
  }
}

/** The API server needs a moment for new policies. */
function policiesCount(bad: () => Promise<unknown>): Promise<boolean> {
  const isRefused = (): Promise<boolean> =>
    refused(422, bad()).then(
      () => true,
      () => false,
    );
  return eventually('the policies count', isRefused);
}

const BOOTSTRAP = 'bootstrap.kubernetes.io/token';
const TOKEN = 'slipway.dev/machine-token';

async function secrets(controller: KubeClient, minter: KubeClient): Promise<void> {
  for (const client of [controller, minter]) {
    for (const namespace of ['kube-system', 'slipway-system', 'default'])
      await refused(422, create(client, secret(namespace, 'bootstrap-token-abcdef', BOOTSTRAP)));
    await refused(422, create(client, secret('default', 'my-cluster-ca', 'cluster.x-k8s.io/secret')));
    await refused(422, create(client, secret('default', 'my-cluster-ca', TOKEN, 'my-cluster-ca')));
    const made = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'x-' } };
    await refused(422, client.request('POST', '/api/v1/namespaces/default/secrets', { body: made }));
    // Its own authority and the key of tokens are made once.
    for (const name of ['slipway-controller-ca', 'slipway-controller-token-key']) {
      const path = `/api/v1/namespaces/slipway-system/secrets/${name}`;
      await refused(422, client.request('PATCH', path, { body: { data: { x: '' } }, contentType: MERGE }));
    }
  }
  await refused(422, create(controller, secret('default', `${NAME}-slipway-token`, TOKEN, NAME)));
  const wrong = [
    secret('default', 'other-slipway-token', TOKEN, NAME),
    secret('default', `${NAME}-slipway-token`, 'Opaque', NAME),
    secret('default', `${NAME}-slipway-token`, TOKEN),
    secret('kube-system', `${NAME}-slipway-token`, TOKEN, NAME),
    secret('slipway-system', `${NAME}-slipway-token`, TOKEN, NAME),
    // Neither Machine nor namespace would ever be gone.
    secret('default', `${NAME}-slipway-token`, TOKEN, NAME, { finalizers: ['example.com/stays'] }),
    secret('default', `${NAME}-slipway-token`, TOKEN, NAME, {
      ownerReferences: [{ ...owner(NAME), blockOwnerDeletion: true }],
    }),
  ];
  for (const one of wrong) await refused(422, create(minter, one));
  await create(minter, secret('default', `${NAME}-slipway-token`, TOKEN, NAME));
  await create(controller, secret('slipway-system', 'slipway-token-x', 'slipway.dev/token-hash'));
}

const POOL = 'slipway-pool';
const POOL_LABEL = 'slipway.dev/pool-token';

/** An operator's Secret with a token that is renewed, beside one of a cluster; made by the command, which gives the minter its right. */
async function makePoolSecret({ cluster }: Pick<Scene, 'cluster'>): Promise<void> {
  const made = await controllerCommand([
    ...['token', 'create', '--namespace=default', `--secret=${POOL}`],
    `--kubeconfig=${cluster.api.kubeconfig()}`,
  ]);
  if (made.code !== 0) throw new Error(made.stderr);
  await create(cluster.client, secret('default', 'my-cluster-etcd', 'Opaque'));
}

/** By its rights the minter changes this Secret by its name, and neither reads nor changes another one. */
async function poolSecretByRights(minter: KubeClient): Promise<void> {
  await patchSecret(minter, POOL, { data: { token: 'bmV4dA==' } });
  await refused(403, patchSecret(minter, 'my-cluster-etcd', { data: {} }));
  const path = '/api/v1/namespaces/default/secrets';
  for (const name of [POOL, 'my-cluster-etcd']) await refused(403, minter.request('GET', `${path}/${name}`));
  await refused(403, minter.request('DELETE', `${path}/${POOL}`));
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
  const role = { metadata: { name: 'more' }, rules: [] };
  await refused(403, minter.request('POST', roles, { body: role }));
}

/** Whatever its rights, of a Secret that is marked the token alone, and of no other one anything: a patch would show it what is there. */
async function poolSecretByPolicy(controller: KubeClient, minter: KubeClient): Promise<void> {
  await patchSecret(minter, POOL, {
    ...{ data: { token: 'bmV4dA==' }, metadata: { annotations: { 'slipway.dev/expires': 'later' } } },
  });
  for (const body of [
    { data: { token: 'YQ==', more: 'YQ==' } },
    { data: { token: null } },
    { data: { token: null, 'tls.key': 'YQ==' } },
    { metadata: { labels: { [POOL_LABEL]: null } } },
    { metadata: { labels: { a: 'b' } } },
    { metadata: { annotations: { 'kubernetes.io/service-account.name': 'default' } } },
    { metadata: { finalizers: ['example.com/stays'] } },
    { metadata: { ownerReferences: [owner(NAME)] } },
    { immutable: true },
  ])
    await refused(422, patchSecret(minter, POOL, body));
  for (const body of [{}, { data: { token: 'YQ==' } }, { metadata: { labels: { [POOL_LABEL]: 'x' } } }])
    await refused(422, patchSecret(minter, 'my-cluster-etcd', body));
  await refused(422, patchSecret(controller, POOL, { data: { token: 'YQ==' } }));
}

function patchSecret(client: KubeClient, name: string, body: object): Promise<unknown> {
  const path = `/api/v1/namespaces/default/secrets/${name}`;
  return client.request('PATCH', path, { body, contentType: MERGE });
}

async function statuses(
  admin: KubeClient,
  controller: KubeClient,
  version: 'v1beta2' | 'v1beta1',
): Promise<void> {
  const at = (conditions: object[]): object =>
    version === 'v1beta2' ? { conditions } : { v1beta2: { conditions } };
  const [theirs, ours] = [condition('Ready', 'True'), condition(CONDITION, 'False')];
  await patchStatus(admin, 'default', { phase: 'Running', ...at([theirs]) }, version);
  await patchStatus(controller, 'default', at([theirs, ours]), version);
  await patchStatus(controller, 'default', at([condition(CONDITION, 'True'), theirs]), version);
  for (const status of [
    { nodeRef: { name: 'another', kind: 'Node' } },
    { phase: 'Failed' },
    { phase: null },
    { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    at([ours]),
    at([condition('Ready', 'False'), ours]),
    at([theirs, ours, condition('Available', 'True')]),
    ...(version === 'v1beta1' ? [{ conditions: [theirs] }] : []),
  ])
    await refused(422, patchStatus(controller, 'default', status, version));
}

function condition(type: string, status: string): object {
  return { type, status, reason: 'X', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

interface SecretBody {
  metadata: { namespace: string };
}

function secret(namespace: string, name: string, type: string, machine?: string, more = {}): SecretBody {
  const owned = machine === undefined ? {} : { ownerReferences: [owner(machine)] };
  const metadata = { namespace, name, ...owned, ...more };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type } as SecretBody;
}

function owner(name: string): object {
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: 'u' };
}

function create(client: KubeClient, body: SecretBody): Promise<unknown> {
  return client.request('POST', `/api/v1/namespaces/${body.metadata.namespace}/secrets`, { body });
}

function patchStatus(
  client: KubeClient,
  namespace: string,
  status: object,
  version: 'v1beta2' | 'v1beta1' = 'v1beta2',
): Promise<unknown> {
  const path = `${machinesPath(version, namespace)}/${NAME}/status`;
  return client.request('PATCH', path, { body: { status }, contentType: MERGE });
}

function patchMachine(client: KubeClient, body: object): Promise<unknown> {
  const path = `${machinesPath('v1beta2', 'default')}/${NAME}`;
  return client.request('PATCH', path, { body, contentType: MERGE });
}
