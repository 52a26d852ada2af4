import { expect, it } from 'vitest';
import { StoreBusy } from '../store/store.ts';
import { secretsCluster } from './fixtures/secrets-cluster.ts';
import { SealedParts } from './sealed-parts.ts';

const part = (digest: string) => ({
  ...{ key: Buffer.alloc(32), part: Buffer.from('p'), machine: 'm' },
  ...{ expires: '2126-01-01T00:00:00Z', digest },
});

it('is taken once, of two at a time too, and again when it is sealed anew', async () => {
  const { client } = secretsCluster();
  const parts = new SealedParts(client, 'n');
  await parts.put('u', part('sha256:1'));
  const both = await Promise.all(['a', 'b'].map((key) => parts.take('u', 'sha256:1', key)));
  expect(both.toSorted()).toEqual([false, true]);
  expect(await parts.take('u', 'sha256:1', 'a')).toBe(false);
  await parts.put('u', part('sha256:2'));
  expect(await parts.take('u', 'sha256:2', 'a')).toBe(true);
});

it('is not taken in the place of another one that came meanwhile', async () => {
  const { client } = secretsCluster();
  const parts = new SealedParts(client, 'n');
  await parts.put('u', part('sha256:1'));
  const read = await parts.of('u');
  await parts.put('u', part('sha256:2'));
  await expect(parts.take('u', read?.digest ?? '', 'a')).rejects.toBeInstanceOf(StoreBusy);
  expect(await parts.take('u', 'sha256:2', 'a')).toBe(true);
});
