import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import type { Log } from '../log.ts';
import type { Machine } from '../machines/machine.ts';
import type { Admission, NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { CapacityKeeper } from './keeper.ts';

const GROUP = {
  metadata: {
    namespace: 'ns',
    name: 'g',
    uid: 'u',
    resourceVersion: '1',
    labels: { 'slipway.dev/capacity': '' },
  },
};
let keeper: CapacityKeeper;
/** The capacity of each change of the group. */
let written: (string | undefined)[];

beforeEach(async () => {
  written = [];
  const stream = async function* (
    path: string,
    { query, signal }: { query: { watch?: boolean }; signal: AbortSignal },
  ) {
    if (query.watch) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    const items = path.endsWith('/machinedeployments') ? [GROUP] : [];
    if (!query.watch) yield Buffer.from(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  };
  const client = {
    stream: async (...of: Parameters<typeof stream>) => stream(...of),
    request: async (
      _: string,
      path: string,
      { body }: { body: typeof GROUP & { metadata: { annotations?: object } } },
    ) => {
      if (!path.endsWith('/status')) written.push(Object.values(body.metadata.annotations ?? {})[0]);
    },
  } as unknown as KubeClient;
  const log = { info: () => {}, debug: () => {}, warn: () => {} } as unknown as Log;
  const machine = () => ({ owners: ['MachineDeployment/g'] }) as unknown as Machine;
  keeper = new CapacityKeeper({ client, version: 'v1beta2', log, machine });
  keeper.start();
  keeper.lead(true);
  for (let at = 0; at < 50; at += 1) await turn();
});
afterEach(() => keeper.stop());

async function told(name: string, cpu: number, admission?: Admission['state']): Promise<void> {
  keeper.nodeChanged({
    ...{ namespace: 'ns', name, epoch: 0, seq: 1, storedAt: 0, writes: 1 },
    spec: {
      ...{ instance: name, hostname: name, keyDigest: name, machine: { name, uid: name, by: 'token' } },
      enrolment: { method: 'token', at: '2026-01-01T00:00:00Z' },
      ...(admission ? { admission: { state: admission, at: '2026-01-01T00:00:00Z' } } : {}),
    },
    summary: { ...newSummary(), facts: { capacity: `cpu=${cpu}` } },
  } satisfies NodeRecord);
  for (let at = 0; at < 10; at += 1) await turn();
}

it('lets a machine that tells something else all the time change its group now and then', async () => {
  for (let at = 1; at <= 100; at += 1) await told('a', at);
  expect(written.length).toBeGreaterThan(5);
  expect(written.length).toBeLessThan(20);
});

it.each(['Quarantined', 'Refused'] as const)('counts nothing that a %s machine told', async (state) => {
  await told('a', 8);
  await told('b', 1);
  expect(written.at(-1)).toBe('1');
  await told('b', 1, state);
  expect(written.at(-1)).toBe('8');
});
