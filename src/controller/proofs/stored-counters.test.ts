import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import type { NodeRecord, TpmCounters } from '../model/node-record.ts';
import { WriteBudget } from '../store/write-budget.ts';
import { StoredCounters } from './stored-counters.ts';

const KEY = 'sha256:a';
const COUNTERS: TpmCounters = { resets: 3, restarts: 1, clock: 1_000 };

function book(stored: { endorsementKey: string; counters?: TpmCounters } | undefined) {
  const written: unknown[] = [];
  const request = async (_: string, path: string, { body }: { body: unknown[] }): Promise<object> => {
    written.push([path.split('/').at(-1), body.at(-1)]);
    return {};
  };
  const { endorsementKey, counters } = stored ?? {};
  const node = { namespace: 'ns', name: 'n', spec: { enrolment: { endorsementKey }, counters } };
  const counted = new StoredCounters({
    client: { request } as unknown as KubeClient,
    budget: new WriteBudget(true),
    store: { find: async () => (stored ? (node as unknown as NodeRecord) : undefined) },
    // What is watched knows the node, and no counters.
    nodeOf: (key, uid) => (key === KEY && uid === 'u' ? { namespace: 'ns', name: 'n' } : undefined),
  });
  return { counted, written };
}

it('returns the counters of the stored node, only for its TPM and Machine', async () => {
  const { counted } = book({ endorsementKey: KEY, counters: COUNTERS });
  expect(await counted.seen(KEY, 'u')).toEqual(COUNTERS);
  expect(await counted.seen(KEY, 'other')).toBeUndefined();
  expect(
    await book({ endorsementKey: 'sha256:b', counters: COUNTERS }).counted.seen(KEY, 'u'),
  ).toBeUndefined();
  expect(await book(undefined).counted.seen(KEY, 'u')).toBeUndefined();
});

it('writes counters that differ from the stored ones, and no others', async () => {
  const { counted, written } = book({ endorsementKey: KEY, counters: COUNTERS });
  await counted.note(KEY, 'u', COUNTERS);
  await counted.note(KEY, 'other', { ...COUNTERS, resets: 4 });
  expect(written).toEqual([]);
  await counted.note(KEY, 'u', { ...COUNTERS, resets: 4 });
  expect(written).toEqual([['n', { op: 'add', path: '/spec/counters', value: { ...COUNTERS, resets: 4 } }]]);
});
