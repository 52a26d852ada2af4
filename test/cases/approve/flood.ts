import { strict as assert } from 'node:assert';
import { COLLECTION, type SigningRequest } from '../../../src/controller/approve/signing-request.ts';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import { APPROVER } from '../../support/controller/api-server.ts';
import type { Scene } from './scene.ts';

const MANY = 1_000;
/** As Turns has it. */
const BURST = 10;

/** A node that was taken over asks a thousand times; two approvers look at it, and another node joins meanwhile. */
export async function flood(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  for (const name of ['f1', 'f2']) await cluster.createMachine(name);
  const { client } = await scene.join('f1');
  const access = cluster.api.kubeconfig(APPROVER);
  const end = await scene.approve('--cluster=default/demo', `--cluster-kubeconfig=${access}`);
  const asked: Promise<string>[] = [];
  for (let at = 0; at < MANY; at += 1) {
    // Half of them for what it may have.
    const one = scene.ask(client, { node: at % 2 === 0 ? 'f1' : 'f2' });
    asked.push(one);
    if (at % 25 === 0) await one;
  }
  await scene.join('f2');
  await Promise.all(asked);
  const names = new Set(await Promise.all(asked));
  const foreign = async (): Promise<readonly SigningRequest[]> => {
    const { items } = await cluster.client.request<ListOf<SigningRequest>>('GET', COLLECTION);
    return items.filter(({ metadata }) => names.has(metadata.name));
  };
  for (const name of [...names].filter((_, at) => at % 2 === 1))
    await scene.denied(name, /asks for a certificate of/);
  const approved = (await foreign()).filter(({ status }) => status?.conditions?.[0]?.type === 'Approved');
  // Each of the two counts by itself.
  assert.ok(approved.length > 0 && approved.length <= 2 * BURST, `${approved.length} are approved`);
  assert.ok(approved.every(({ spec }) => spec.username === 'system:node:f1'));
  await end();
  say(
    `of ${MANY} requests of one node ${MANY / 2} are denied and ${approved.length} approved; another joined meanwhile`,
  );
}
