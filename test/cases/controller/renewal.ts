import { strict as assert } from 'node:assert';
import { type ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** Tokens that templates take from a Secret: made where machines can enrol, and renewed before they end. */
export async function renewal(scene: Scene, controller: ControllerProcess): Promise<void> {
  const { cluster, say } = scene;
  const token = (...words: string[]) =>
    controllerCommand(['token', ...words, `--kubeconfig=${cluster.api.kubeconfig()}`]);
  const before = (await token('list')).stdout;
  const nowhere = await token('create', '--namespace=nowhere', '--secret=slipway-pool');
  assert.equal(nowhere.code, 1, nowhere.stderr);
  assert.match(nowhere.stderr, /there is no namespace nowhere; no token was made/);
  assert.equal((await token('list')).stdout, before, 'no token for a namespace that is not there');
  await cluster.api.kubectl(['create', 'namespace', 'without-rights']);
  const warned = await token('create', '--namespace=without-rights');
  assert.equal(warned.code, 0, warned.stderr);
  assert.match(
    warned.stderr,
    /warning: .* no rights in namespace without-rights.*--namespace without-rights --filename manifests\/namespace\/rights.yaml/,
  );
  say('token create: nothing for a namespace that is not there, a warning for one without rights');

  await cluster.api.kubectl([
    ...['create', 'secret', 'generic', 'of-more', '--from-literal=password=x', '--namespace=default'],
  ]);
  const more = await token('create', '--namespace=default', '--secret=of-more');
  assert.equal(more.code, 1, more.stderr);
  assert.match(more.stderr, /holds more than a token \(password\)/);
  say('token create: no renewal in a Secret that holds more than the token');

  // Two thirds of a minute, and both processes look every ten seconds.
  const made = await token(...['create', '--namespace=default', '--secret=renewed', '--ttl=1m', '--uses=1']);
  assert.equal(made.code, 0, made.stderr);
  assert.doesNotMatch(made.stderr, /warning/);
  const first = await tokenIn(scene);
  const machine = scene.machine(controller, { hostname: 'renewed-1' });
  await machine.enrolSoon(first);
  await assert.rejects(scene.machine(controller, { hostname: 'too-many' }).enrol(first), /401/);
  assert.match((await token('list')).stdout, /in Secret renewed/);
  await eventually('the token to be renewed', async () => (await tokenIn(scene)) !== first);
  await scene.machine(controller, { hostname: 'renewed-2' }).enrolSoon(await tokenIn(scene));
  const other = await token('create', '--namespace=default', '--secret=renewed', '--no-renew');
  assert.equal(other.code, 0, other.stderr);
  assert.doesNotMatch((await token('list')).stdout, /in Secret renewed/);
  say('the token in the Secret of templates is renewed before it ends, and its uses begin anew');
}

async function tokenIn({ cluster }: Scene): Promise<string> {
  const path = '/api/v1/namespaces/default/secrets/renewed';
  const { data } = await cluster.client.request<{ data: { token: string } }>('GET', path);
  return Buffer.from(data.token, 'base64').toString();
}
