import { EventEmitter, on } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import type { Log } from '../log.ts';
import type { Machine } from '../machines/machine.ts';
import type { Admission, NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { CAPACITY_MANAGER, type GroupObject } from './group.ts';
import { CapacityKeeper } from './keeper.ts';

type Group = GroupObject & { metadata: { annotations?: Record<string, string> } };

let keeper: CapacityKeeper;
/** The capacity of each change of the group. */
let written: (string | undefined)[];
/** How often its condition was written. */
let said: number;
/** The API server refuses all changes. */
let isRefused: boolean;

beforeEach(async () => {
  [written, said, isRefused] = [[], 0, false];
  const changes = new EventEmitter();
  let group: Group = {
    metadata: {
      ...{ namespace: 'ns', name: 'g', uid: 'u', resourceVersion: '1' },
      labels: { 'slipway.dev/capacity': '' },
    },
  };
  const stream = async function* (
    path: string,
    { query, signal }: { query: { watch?: boolean }; signal: AbortSignal },
  ) {
    const isFollowed = path.endsWith('/machinedeployments');
    const items = isFollowed ? [group] : [];
    if (!query.watch) yield Buffer.from(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
    else if (isFollowed)
      for await (const [object] of on(changes, 'changed', { signal }))
        yield Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    else await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const client = {
    stream: async (...of: Parameters<typeof stream>) => stream(...of),
    request: async (_: string, path: string, { body }: { body: Group }) => {
      if (isRefused) throw new Error('not now');
      const { annotations = {} } = body.metadata;
      const isSaid = path.endsWith('/status');
      if (isSaid) said += 1;
      else written.push(Object.values(annotations)[0]);
      group = isSaid ? { ...group, ...body, metadata: group.metadata } : owned(group, annotations);
      group.metadata.resourceVersion = String(written.length + said + 1);
      changes.emit('changed', group);
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

/** As the API server keeps whose annotations these are. */
function owned(group: Group, annotations: Record<string, string>): Group {
  const names = Object.fromEntries(Object.keys(annotations).map((name) => [`f:${name}`, {}]));
  const fieldsV1 = { 'f:metadata': { 'f:annotations': names } };
  const managedFields = [{ manager: CAPACITY_MANAGER, operation: 'Apply', fieldsV1 }];
  return { ...group, metadata: { ...group.metadata, annotations, managedFields } };
}

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

it('lets it change what is said of the group now and then, though another brought the least', async () => {
  await told('b', 1);
  for (let at = 2; at <= 100; at += 1) await told('a', at);
  expect(new Set(written)).toEqual(new Set(['1']));
  expect(said).toBeGreaterThan(5);
  expect(said).toBeLessThan(20);
});

it('counts no change that the API server refused', async () => {
  isRefused = true;
  for (let at = 1; at <= 30; at += 1) await told('a', at);
  isRefused = false;
  await told('a', 99);
  expect(new Set(written)).toEqual(new Set(['99']));
});

it.each(['Quarantined', 'Refused'] as const)('counts nothing that a %s machine told', async (state) => {
  await told('a', 8);
  await told('b', 1);
  expect(written.at(-1)).toBe('1');
  await told('b', 1, state);
  expect(written.at(-1)).toBe('8');
});
