import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { StoreBusy } from '../store/store.ts';
import { SealedParts } from './sealed-parts.ts';

interface Secret {
  metadata: { annotations?: Record<string, string>; resourceVersion?: string };
  data?: Record<string, string>;
}

/** An API server with the Secrets of one namespace; it counts versions, and takes none that is old. */
function cluster() {
  const secrets = new Map<string, Secret>();
  let version = 0;
  const request = async (method: string, path: string, { body }: { body?: unknown } = {}) => {
    const name = path.split('?')[0]?.split('/').at(-1) ?? '';
    const given = body as Secret & { metadata: { name: string } };
    const known = secrets.get(name);
    version += 1;
    if (method === 'POST') {
      const metadata = { ...given.metadata, resourceVersion: String(version) };
      secrets.set(given.metadata.name, { ...given, metadata });
      return {};
    }
    if (name === 'secrets') return { items: [...secrets.values()] };
    if (!known) throw new KubeError(404, 'NotFound', 'not found');
    if (method === 'DELETE') secrets.delete(name);
    if (method === 'PATCH') {
      if (given.metadata.resourceVersion !== known.metadata.resourceVersion)
        throw new KubeError(409, 'Conflict', 'conflict');
      known.metadata = { ...known.metadata, ...given.metadata, resourceVersion: String(version) };
    }
    return structuredClone(known);
  };
  return { client: { request } as unknown as KubeClient, secrets };
}

const part = (digest: string) => ({
  ...{ key: Buffer.alloc(32), part: Buffer.from('p'), machine: 'm' },
  ...{ expires: '2126-01-01T00:00:00Z', digest },
});

it('is taken once, of two at a time too, and again when it is sealed anew', async () => {
  const { client } = cluster();
  const parts = new SealedParts(client, 'n');
  await parts.put('u', part('sha256:1'));
  const both = await Promise.all(['a', 'b'].map((key) => parts.take('u', 'sha256:1', key)));
  expect(both.toSorted()).toEqual([false, true]);
  expect(await parts.take('u', 'sha256:1', 'a')).toBe(false);
  await parts.put('u', part('sha256:2'));
  expect(await parts.take('u', 'sha256:2', 'a')).toBe(true);
});

it('is not taken in the place of another one that came meanwhile', async () => {
  const { client } = cluster();
  const parts = new SealedParts(client, 'n');
  await parts.put('u', part('sha256:1'));
  const read = await parts.of('u');
  await parts.put('u', part('sha256:2'));
  await expect(parts.take('u', read?.digest ?? '', 'a')).rejects.toBeInstanceOf(StoreBusy);
  expect(await parts.take('u', 'sha256:2', 'a')).toBe(true);
});
