import { strict as assert } from 'node:assert';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

/** What a cluster asks of the approver's pod. */
export async function deployed(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  const { adminPort, probePort } = await eventually('the ports of the approver', async () => scene.ports());
  assert.deepEqual(await ask(probePort, '/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask(probePort, '/readyz'), [200, 'ok\n']);
  const [, before] = await ask(adminPort, '/metrics');
  await cluster.createMachine('m1');
  await scene.join('m1');
  await eventually('the approval to be counted', async () => {
    const [, after] = await ask(adminPort, '/metrics');
    return countOf(after, APPROVED) > countOf(before, APPROVED);
  });
  assert.equal(countOf(before, 'slipway_approver_clusters'), 1);
  assert.ok(countOf(before, 'slipway_machines') > 0);

  await cluster.api.kubectl(['--namespace=slipway-system', 'create', 'serviceaccount', 'without-rights']);
  const end = await scene.approveAs('without-rights');
  const mute = await eventually('its probes', async () => scene.ports('without-rights'));
  const [status, why] = await ask(mute.probePort, '/readyz');
  assert.equal(status, 503);
  assert.match(why, /not listed yet/);
  assert.deepEqual(await ask(mute.probePort, '/healthz'), [200, 'ok\n']);
  await end();
  say(
    "as its Deployment runs it, by its own ServiceAccount's token: probes, figures; one without rights lives and is not ready",
  );
}

const APPROVED = 'slipway_certificate_requests_total{decision="approved"}';

async function ask(port: number, path: string): Promise<[status: number, text: string]> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return [answer.status, await answer.text()];
}

function countOf(metrics: string, name: string): number {
  const line = metrics.split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}
