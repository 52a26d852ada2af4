import { beforeEach, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { KeyHolders } from './key-holders.ts';
import { StoreBusy } from './store.ts';

const KEY = `sha256:${'a'.repeat(64)}`;

/** The Lease of the key, as the API server keeps it: made once, and changed by who has seen the last version. */
let lease: { metadata: { resourceVersion: number }; spec: { holderIdentity: string } } | undefined;
let there: Set<string>;
/** Somebody else writes between a read and the write behind it. */
let isRaced: boolean;
beforeEach(() => {
  [lease, there, isRaced] = [undefined, new Set(['one', 'other']), false];
});

const request = async (method: string, _: string, { body }: { body?: typeof lease } = {}) => {
  if (method === 'GET') return structuredClone(lease);
  const version = lease?.metadata.resourceVersion ?? 0;
  if (isRaced && lease && method === 'PUT') lease.metadata.resourceVersion = version + 1;
  const isStale = method === 'PUT' && body?.metadata.resourceVersion !== lease?.metadata.resourceVersion;
  if (isStale || (method === 'POST' && lease)) throw new KubeError(409, 'Conflict', 'no');
  const holderIdentity = body?.spec.holderIdentity ?? '';
  lease = { metadata: { resourceVersion: version + 1 }, spec: { holderIdentity } };
  return undefined;
};
const holders = new KeyHolders({ request } as unknown as KubeClient, 'slipway', (uid) => there.has(uid));
const take = (uid: string) => holders.take(KEY, { namespace: 'ns', name: uid, uid });

it('gives a key that nobody named to one Machine, as long as that is there', async () => {
  expect([await take('one'), await take('other'), await take('one')]).toEqual([true, false, true]);
  there.delete('one');
  expect([await take('other'), lease?.spec.holderIdentity]).toEqual([true, 'other']);
});

it('gives the key of a Machine that is gone to one of two that come at once', async () => {
  await take('one');
  there.delete('one');
  isRaced = true;
  await expect(take('other')).rejects.toBeInstanceOf(StoreBusy);
  expect(lease?.spec.holderIdentity).toBe('one');
});
