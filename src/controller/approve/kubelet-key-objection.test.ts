import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { BOOTSTRAP, dns, EC, signingRequest } from './fixtures/requests.ts';
import { TestWorld } from './fixtures/world.ts';

const digestOf = ({ publicKey }: typeof EC) =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const MINUTE = 60_000;

const world = (kubelet?: { keyDigest: string; at: string }) =>
  new TestWorld().machine('n1').enrolled('n1', 'n1', { by: 'tpm', ...(kubelet ? { kubelet } : {}) });
const proved = (ageMs = 0) =>
  world({ keyDigest: digestOf(EC), at: new Date(Date.now() - ageMs).toISOString() });
const first = (keys = EC) => signingRequest({ keys }, BOOTSTRAP);
const renewal = (keys = EC) => signingRequest({ keys });

it.each([
  ['its first certificate', first],
  ['a renewal', renewal],
])('takes the key that the machine has proved, and no other one: %s', async (_, asks) => {
  expect((await proved().judge(asks())).verdict.is).toBe('approve');
  const { verdict } = await proved().judge(asks(OTHER));
  expect(verdict).toMatchObject({ is: 'deny', because: expect.stringMatching(/proved another key/) });
});

it('takes a key for a while only', async () => {
  expect((await proved(15 * MINUTE).judge(renewal())).verdict.is).toBe('approve');
  const { verdict } = await proved(21 * MINUTE).judge(renewal());
  expect(verdict).toMatchObject({ is: 'deny', because: expect.stringMatching(/this key 21 minutes before/) });
});

it('waits for a proof where a policy demands one, and takes any key where none does', async () => {
  expect((await world().judge(first())).verdict.is).toBe('approve');
  const demanding = world().policy('p', { method: 'tpm', kubeletKeys: 'Proved' });
  demanding.enrolled('n1', 'n1', {
    by: 'tpm',
    enrolment: { method: 'tpm', at: '', endorsementKey: 'sha256:1', policies: ['p'] },
  });
  demanding.machine('n1', { key: 'sha256:1' });
  for (const object of [first(), renewal()]) {
    const { verdict } = await demanding.judge(object);
    expect(verdict).toMatchObject({ is: 'wait', because: expect.stringMatching(/as policy p demands/) });
  }
});

it.each([
  [{ method: 'tpm' }, 'wait'],
  [{ method: 'tpm', kubeletKeys: 'Any' }, 'approve'],
  [{ method: 'tpm', fallback: 'token' }, 'approve'],
  [{ method: 'token' }, 'approve'],
] as const)(
  'of a policy that says %j, a bootstrap token with a key that nobody proved makes it %s',
  async (spec, is) => {
    const governed = world().policy('p', spec);
    expect((await governed.judge(first())).verdict.is).toBe(is);
    // Who has a certificate already is that node.
    expect((await governed.judge(renewal())).verdict.is).toBe('approve');
  },
);

it('asks for no proof of the key of a server', async () => {
  const { verdict } = await proved().judge(
    signingRequest({ use: 'serving', keys: OTHER, names: [dns('n1')] }),
  );
  expect(verdict.is).toBe('approve');
});
