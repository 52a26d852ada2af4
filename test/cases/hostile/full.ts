import { strict as assert } from 'node:assert';
import type { Scene } from './scene.ts';

/** What the API server writes in six bytes. */
const SIGN = '<';
/** As many of the largest as fit into a write where each sign counts as one byte, and then what may still fit. */
const SIZES = [...Array.from({ length: 102 }, () => 2_400), ...[1_200, 600, 300, 150, 75, 40, 20, 10, 5, 1]];

/** The right machine that turned hostile: it fills its node, so that nobody could write to it that it is quarantined. */
export async function full({ cluster, machine, command, say }: Scene): Promise<void> {
  await cluster.createMachine('full', { token: true });
  const fills = machine({ hostname: 'full' });
  await fills.enrol(await cluster.machineToken('full'));
  for (const [at, size] of SIZES.entries()) {
    fills.tell({
      ...{ type: 'agent.lost', sequence: 's', how: 'killed', pid: 42 },
      failure: { code: 'Full', cause: SIGN.repeat(size), remedy: 'r' },
    });
    if (at < 91) continue;
    const { status, body } = await fills.post('/v1/events', fills.batch(fills.spool.slice(0, 128)));
    // What a machine may write is soon spent.
    if (status === 429) break;
    assert.equal(status, 200, body);
    fills.spool = fills.spool.filter(({ seq }) => seq > (JSON.parse(body) as { stored: number }).stored);
  }
  assert.equal((await cluster.node('full')).status?.seq, fills.seq - fills.spool.length);
  const path = '/apis/slipway.dev/v1alpha1/namespaces/default/nodebootstraps/full';
  const bytes = Buffer.byteLength(await cluster.api.kubectl(['get', '--raw', path]));
  assert.ok(bytes < 1024 * 1024, `it has ${bytes} bytes`);
  await command('nodes', 'quarantine', 'default/full');
  assert.equal((await cluster.node('full')).spec.admission?.state, 'Quarantined');
  say(`a machine that fills its node with signs of six bytes has ${bytes} there, and can be quarantined`);
}
