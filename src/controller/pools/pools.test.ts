import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { EventRecorder } from '../machines/event-recorder.ts';
import { Pools } from './pools.ts';

const POOL = { metadata: { namespace: 'ns', name: 'workers', uid: 'u' }, spec: { clusterName: 'demo' } };

/** @param refusal of the list */
function follow(refusal?: KubeError): { pools: Pools; events: object[]; troubles: Error[] } {
  const [events, troubles] = [[] as object[], [] as Error[]];
  const request = async (_: string, path: string, { body }: { body: object }): Promise<void> => {
    expect(path).toBe('/api/v1/namespaces/ns/events');
    events.push(body);
  };
  type Asked = { query: { watch?: boolean }; signal: AbortSignal };
  const stream = async (_: string, { query, signal }: Asked): Promise<Readable> => {
    if (refusal) throw refusal;
    if (query.watch) return new Readable({ signal, read: () => {} });
    const list = { kind: 'List', metadata: { resourceVersion: '1' }, items: [POOL] };
    return Readable.from([Buffer.from(JSON.stringify(list))]);
  };
  const client = { request, stream } as unknown as KubeClient;
  const pools = new Pools({
    ...{ client, version: 'v1beta2', recorder: new EventRecorder(client, 'test') },
    ...{ log: createLog(() => {}), machine: () => undefined, trouble: (error) => troubles.push(error) },
  });
  return { pools, events, troubles };
}

it('knows all pools when it has started', async () => {
  const { pools } = follow();
  await pools.start();
  expect(pools.directory.byUid('u')?.name).toBe('workers');
  await pools.stop();
});

it.each([404, 403])('goes on without pools where there are none to follow (%s)', async (status) => {
  const { pools, troubles } = follow(new KubeError(status, 'No', 'no'));
  await pools.start();
  expect(troubles).toEqual([]);
  await pools.stop();
});

it('tells once in an hour that too many machines come', async () => {
  const { pools, events } = follow();
  await pools.start();
  const pool = pools.directory.byUid('u');
  if (!pool) throw new Error('it does not know the pool');
  for (let count = 0; count < 3; count += 1) pools.full(pool);
  await Promise.resolve();
  expect(events).toMatchObject([
    { reason: 'TooManyMachines', involvedObject: { kind: 'MachinePool', name: 'workers', uid: 'u' } },
  ]);
  await pools.stop();
});
