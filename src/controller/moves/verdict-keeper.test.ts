import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KubeClient, RequestOptions } from '../kube/client.ts';
import { createLog } from '../log.ts';
import type { NodeSpec } from '../model/node-record.ts';
import { newSummary, type Summary } from '../model/summary.ts';
import { type NodeBootstrap, recordOf } from '../store/node-bootstrap.ts';
import { VerdictKeeper } from './verdict-keeper.ts';
import { genuineVerdict } from './verdict-record.ts';

const MINUTE = 60_000;

let object: NodeBootstrap;
let keys: Uint8Array[];
let keeper: VerdictKeeper;
let writes: number;

beforeEach(() => {
  vi.useFakeTimers();
  writes = 0;
  keys = [Buffer.alloc(32, 1)];
  object = {
    metadata: { namespace: 'ns', name: 'w1', resourceVersion: '1' },
    spec: {
      instance: 'i',
      hostname: 'w1',
      keyDigest: 'a'.repeat(64),
      enrolment: { method: 'token', at: '' },
    },
  };
  told({ phase: 'Succeeded' });
  const request = async (
    method: string,
    _: string,
    { body }: RequestOptions = {},
  ): Promise<NodeBootstrap> => {
    if (method === 'GET') return structuredClone(object);
    writes += 1;
    for (const { op, path, value } of body as { op: string; path: string; value?: unknown }[]) {
      if (op === 'test') continue;
      const [, part = '', field] = path.split('/');
      const { [field as keyof NodeSpec]: __, ...rest } = { ...object.spec };
      if (part === 'spec')
        object = { ...object, spec: (op === 'remove' ? rest : { ...rest, verdict: value }) as NodeSpec };
      else object = { ...object, status: value as NonNullable<NodeBootstrap['status']> };
    }
    keeper.nodeChanged(recordOf(object));
    return object;
  };
  const client = { request } as unknown as KubeClient;
  keeper = new VerdictKeeper({ client, keys: () => keys, log: createLog(() => {}) });
  keeper.lead(true);
});
afterEach(async () => {
  await keeper.stop();
  vi.useRealTimers();
});

function told(summary: Partial<Summary>): void {
  object.status = {
    ...{ ...newSummary(), ...summary, epoch: 0, seq: 4, storedAt: new Date(1_790_000_000_000).toISOString() },
    ...{ writes: 1, message: '', eventLog: [] },
  };
}

const look = (): void => keeper.nodeChanged(recordOf(object));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('keeps a verdict once, and anew when it changes or is taken back', async () => {
  look();
  await pass(MINUTE);
  look();
  await pass(60 * MINUTE);
  expect([writes, genuineVerdict(recordOf(object), keys)?.summary.phase]).toEqual([1, 'Succeeded']);
  told({ phase: 'Reset' });
  look();
  await pass(MINUTE);
  expect(genuineVerdict(recordOf(object), keys)?.summary.phase).toBe('Reset');
  told({ phase: 'Running' });
  look();
  await pass(MINUTE);
  expect([writes, object.spec.verdict]).toEqual([3, undefined]);
});

it('puts the status back where it is missing, and only from what was signed', async () => {
  look();
  await pass(MINUTE);
  const { status: _, ...moved } = object;
  object = moved;
  look();
  await pass(MINUTE);
  expect(object.status).toMatchObject({ phase: 'Succeeded', seq: 4, storedAt: '2026-09-21T14:13:20.000Z' });
  const { status: __, ...again } = object;
  object = { ...again, spec: { ...again.spec, keyDigest: 'b'.repeat(64) } };
  look();
  await pass(MINUTE);
  expect(object.status).toBeUndefined();
});

it('signs with the next key after a rotation, also after a restart', async () => {
  look();
  await pass(MINUTE);
  const [old] = keys;
  keys = [Buffer.alloc(32, 2), old as Uint8Array];
  await pass(61 * MINUTE);
  expect([writes, genuineVerdict(recordOf(object), keys.slice(0, 1))?.seq]).toEqual([2, 4]);
  keys = [Buffer.alloc(32, 3)];
  look();
  await pass(MINUTE);
  expect(genuineVerdict(recordOf(object), keys)).toBeDefined();
});

it('costs few writes where a machine changes its mind all the time, and none where it does not lead', async () => {
  for (let at = 0; at < 100; at += 1) {
    told({ phase: at % 2 === 0 ? 'Failed' : 'Succeeded' });
    look();
    await pass(10_000);
  }
  expect(writes).toBeLessThan(14);
  keeper.lead(false);
  const before = writes;
  told({ phase: 'Reset' });
  look();
  await pass(MINUTE);
  expect(writes).toBe(before);
});
