import { strict as assert } from 'node:assert';
import type { ListOf } from '../../../../src/controller/kube/objects.ts';
import {
  collectionPath,
  type NodeBootstrap,
  objectPath,
} from '../../../../src/controller/store/node-bootstrap.ts';
import { createKey } from '../../../../src/pki/csr.ts';
import { MACHINES } from '../../../support/controller/management-cluster.ts';
import type { SimulatedMachine } from '../../../support/controller/simulated-machine.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Scene } from '../scene.ts';

/** Tokens that reach further, oftener or longer than they should. */
export async function tokens(scene: Scene): Promise<void> {
  await selectors(scene);
  await uses(scene);
  await oneKey(scene);
  await untied(scene);
  await revoked(scene);
  await guesses(scene);
  await comeBack(scene);
}

/** A worker pool's token claims neither a control plane nor another cluster's or another pool's Machine. */
async function selectors({ cluster, machine, poolToken, say }: Scene): Promise<void> {
  const labels = { 'cluster.x-k8s.io/deployment-name': 'workers' };
  const deployed = await poolToken('--cluster=demo', '--owner=MachineDeployment/workers');
  const workers = await poolToken();
  await cluster.createMachine('their-worker', { cluster: 'other', labels });
  await cluster.createMachine('our-cp', { labels: { 'cluster.x-k8s.io/control-plane': '' } });
  await cluster.createMachine('our-infra', { labels: { 'cluster.x-k8s.io/deployment-name': 'infra' } });
  await cluster.createMachine('our-worker', { labels });
  const enrols = (hostname: string, token: string) => machine({ hostname }).enrol(token);
  await eventually('the last of the Machines is known', () =>
    isTied(cluster, 'our-worker', () => enrols('our-worker', deployed)),
  );
  for (const name of ['their-worker', 'our-cp', 'our-infra']) {
    await assert.rejects(enrols(name, deployed), /401/, name);
  }
  await assert.rejects(enrols('our-cp', workers), /401/);
  // Nor by a tie that comes later.
  const waiting = machine({ hostname: 'late-cp' });
  await waiting.enrolSoon(workers);
  await cluster.createMachine('late-cp', { labels: { 'cluster.x-k8s.io/control-plane': '' } });
  const later = machine({ hostname: 'late-worker' });
  await later.enrol(workers);
  await cluster.createMachine('late-worker');
  await eventually('the tie that may be', () => isTied(cluster, 'late-worker'));
  assert.equal(await isTied(cluster, 'late-cp'), false);
  const control = await poolToken('--role=control-plane', '--cluster=demo');
  await machine({ hostname: 'our-cp' }).enrolSoon(control);
  say("a pool's token ties Machines of its cluster, role and owner only, at once and later");
}

/** Of those that come at once to two replicas, as many enrol as the token is for. */
async function uses({ controller, machine, poolToken, start, command, say }: Scene): Promise<void> {
  const other = await start();
  const token = await poolToken('--uses=5');
  const many = Array.from({ length: 16 }, (_, at) =>
    machine({ port: (at % 2 ? controller : other).port, from: `127.0.8.${at + 1}` }),
  );
  const first = many[0] as SimulatedMachine;
  await first.enrolSoon(token);
  // Its answer was lost: this is no second use.
  await first.enrol(token);
  const done = await Promise.allSettled(many.slice(1).map((one) => one.enrol(token)));
  assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 4);
  assert.match(
    await command('token', 'list'),
    new RegExp(`^${token.split('.')[1]} +default +role=worker +5 of 5 `, 'm'),
  );
  await other.end('SIGTERM');
  say('a token for five lets five machines in, whatever the replicas');
}

/** One key is one node. */
async function oneKey({ machine, poolToken, say }: Scene): Promise<void> {
  const token = await poolToken();
  await machine().enrolSoon(token);
  const key = createKey();
  const twins = Array.from({ length: 6 }, () => Object.assign(machine(), { key }));
  const done = await Promise.allSettled(twins.map((one) => one.enrol(token)));
  assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(Object.assign(machine(), { key }).enrol(token), /403/);
  say('one key makes one node');
}

/** A node that nobody turned out to be goes after its time. */
async function untied({ cluster, machine, poolToken, say }: Scene): Promise<void> {
  const [old, young] = [machine({ hostname: 'old' }), machine({ hostname: 'young' })];
  const token = await poolToken();
  for (const one of [old, young]) await one.enrolSoon(token);
  const before = await nodes(cluster);
  const nameOf = (host: string): string =>
    before.find(({ spec }) => spec.hostname === host)?.metadata.name ?? '';
  await cluster.client.request('PATCH', objectPath('default', nameOf('old')), {
    body: { spec: { enrolment: { at: '2026-01-01T00:00:00Z' } } },
    contentType: 'application/merge-patch+json',
  });
  await eventually(
    'the old node is gone',
    async () => !(await nodes(cluster)).some(({ spec }) => spec.hostname === 'old'),
  );
  assert.ok((await nodes(cluster)).some(({ spec }) => spec.hostname === 'young'));
  say('a node without a Machine is removed after its time');
}

async function revoked({ cluster, machine, poolToken, command, say }: Scene): Promise<void> {
  const token = await poolToken();
  const id = token.split('.')[1] ?? '';
  await machine({ hostname: 'let-in' }).enrolSoon(token);
  await command('token', 'revoke', id);
  await eventually('the token counts no longer', () =>
    machine()
      .enrol(token)
      .then(
        () => false,
        (error: Error) => /401/.test(error.message),
      ),
  );
  await eventually(
    'whom it let in is gone',
    async () => !(await nodes(cluster)).some(({ spec }) => spec.hostname === 'let-in'),
  );
  assert.doesNotMatch(await command('token', 'list'), new RegExp(id));
  say('a revoked token lets nobody in, and whom it let in without a Machine goes');
}

/** Tokens that nobody made cost the API server nothing. */
async function guesses({ cluster, machine, poolToken, say }: Scene): Promise<void> {
  const before = await readsOfSecrets(cluster);
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (let at = 0; at < 60; at += 1) {
    const id = `guess${[...letters][at % 26]}${[...letters][Math.floor(at / 26)]}aaa`;
    await assert.rejects(machine().enrol(`slwt.${id}.${'A'.repeat(32)}`), /401/);
  }
  assert.ok((await readsOfSecrets(cluster)) - before < 15, 'guesses are read from the API server');
  await machine().enrolSoon(await poolToken());
  say('sixty tokens that nobody made cost the API server no read');
}

/** A used token stays used: with its key or another one, after its node was deleted, and where the Machine has a Node. */
async function comeBack({ cluster, machine, poolToken, command, say }: Scene): Promise<void> {
  await cluster.createMachine('returns', { token: true });
  const token = await cluster.machineToken('returns');
  const genuine = machine({ hostname: 'returns' });
  await genuine.enrol(token);
  await cluster.client.request('DELETE', objectPath('default', 'returns'));
  await assert.rejects(genuine.enrol(token), /401/);
  await assert.rejects(machine({ hostname: 'returns' }).enrol(token), /401/);
  const next = await command('token', 'create', '--machine=returns', '--namespace=default');
  await machine({ hostname: 'returns' }).enrolSoon(next);
  await assert.rejects(machine({ hostname: 'returns' }).enrol(next), /401 .*was used already/);
  await cluster.createMachine('joined-already', { token: true });
  const late = await cluster.machineToken('joined-already');
  await cluster.client.request('PATCH', `${MACHINES}/joined-already/status`, {
    body: { status: { nodeRef: { name: 'joined-already' } } },
    contentType: 'application/merge-patch+json',
  });
  // Machines are watched in the order of their changes: whoever knows this one knows of the Node.
  await machine({ hostname: 'seen-after' }).enrolSoon(await poolToken());
  await cluster.createMachine('seen-after');
  await eventually('the change before it is seen', () => isTied(cluster, 'seen-after'));
  await assert.rejects(machine().enrol(late), /401 .*has its Node already.*TPM/);
  say("a Machine's token does not come back, neither by deleting its node nor after it joined");
}

async function isTied(
  cluster: Scene['cluster'],
  name: string,
  before: () => Promise<void> = async () => {},
): Promise<boolean> {
  await before();
  return (await nodes(cluster)).some(({ spec }) => spec.machine?.name === name);
}

async function nodes({ client }: Scene['cluster']): Promise<NodeBootstrap[]> {
  return (await client.request<ListOf<NodeBootstrap>>('GET', collectionPath('default'))).items;
}

/** As the API server counts them. */
async function readsOfSecrets({ api }: Scene['cluster']): Promise<number> {
  const text = await api.kubectl(['get', '--raw', '/metrics']);
  const lines = text
    .split('\n')
    .filter((line) => /^apiserver_request_total\{.*resource="secrets".*verb="(GET|LIST)"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
