import { beforeEach, expect, it } from 'vitest';
import { makeToken, type TokenAdmin, type TokenRecord } from '../attest/token.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { checkTokenSecret, placePoolToken } from './pool-secret.ts';

const AT = { namespace: 'ns', name: 'pool', controllerNamespace: 'slipway-system' };

let records: Map<string, TokenRecord>;
let refused: string | undefined;
let written: { path: string; body: object }[];

beforeEach(() => {
  records = new Map();
  refused = undefined;
  written = [];
});

const client = {
  request: async (_: string, path: string, { body }: { body: object }): Promise<object> => {
    if (refused !== undefined && path.includes(`/${refused}/`)) throw new KubeError(403, 'Forbidden', 'no');
    written.push({ path, body });
    return { metadata: { name: 'pool', namespace: 'ns', uid: 'u' } };
  },
} as unknown as KubeClient;

const shelf: TokenAdmin = {
  add: async (record) => void records.set(record.id, record),
  list: async () => [...records.values()].map((record) => ({ ...record, used: 0 })),
  endRenewal: async ({ id }) => {
    const { renewal: _, ...record } = records.get(id) as TokenRecord;
    records.set(id, record);
  },
  revoke: async (id) => records.delete(id),
};

async function make(secret = 'pool'): Promise<ReturnType<typeof makeToken>> {
  const renewal = { secret, lifetimeMs: 1, since: 0 };
  const made = makeToken({ namespace: 'ns', expiresAt: Date.now() + 60_000, renewal });
  await shelf.add(made.record);
  return made;
}

it('gives the minter a right on this Secret by its name, and ends the renewal of what was there before', async () => {
  const [before, elsewhere, made] = [await make(), await make('other'), await make()];
  await placePoolToken(client, shelf, AT, made);
  expect(written.map(({ path }) => path.split('/').at(-2))).toEqual(['secrets', 'roles', 'rolebindings']);
  expect(written[1]?.body).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Secret', name: 'pool', uid: 'u' }] },
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['pool'], verbs: ['patch'] }],
  });
  expect(written[2]?.body).toMatchObject({
    subjects: [{ kind: 'ServiceAccount', name: 'slipway-minter', namespace: 'slipway-system' }],
  });
  expect(records.get(before.record.id)?.renewal).toBeUndefined();
  expect(records.get(elsewhere.record.id)?.renewal).toBeDefined();
  expect(records.get(made.record.id)?.renewal).toBeDefined();
});

it('leaves no token where the Secret could not be written, and says so where it cannot be renewed', async () => {
  refused = 'secrets';
  await expect(placePoolToken(client, shelf, AT, await make())).rejects.toThrow('no');
  expect(records.size).toBe(0);
  refused = 'roles';
  const made = await make();
  await expect(placePoolToken(client, shelf, AT, made)).rejects.toThrow(
    /but it will not be renewed: no; run/,
  );
  // It is in the Secret, and counts until its end.
  expect(records.get(made.record.id)).toMatchObject({ hash: made.record.hash });
  expect(records.get(made.record.id)?.renewal).toBeUndefined();
});

it.each([
  ['nothing', undefined, undefined],
  ['a token', { data: { token: '' } }, undefined],
  ['more than a token', { data: { token: '', 'tls.key': '' } }, /holds more than a token \(tls.key\)/],
  ['an authority', { type: 'kubernetes.io/tls', data: {} }, /is of type kubernetes.io\/tls/],
])('looks whether there is %s', async (_, secret, refusal) => {
  const reading = {
    request: async () => {
      if (secret === undefined) throw new KubeError(404, 'NotFound', 'no');
      return secret;
    },
  } as unknown as KubeClient;
  const checked = checkTokenSecret(reading, AT);
  if (refusal) await expect(checked).rejects.toThrow(refusal);
  else await checked;
});
