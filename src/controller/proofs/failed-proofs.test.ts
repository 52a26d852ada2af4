import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { Violation } from '../policy/violation.ts';
import { FailedProofs } from './failed-proofs.ts';

const OWNER = { name: 'a', uid: 'uid-a' };
const OTHER = { name: 'b', uid: 'uid-b' };
const FOUND = { namespace: 'n', owner: OWNER, tie: { ...OWNER, by: 'tpm' as const }, nodeName: undefined };

/** A machine that says it is the other Machine shows the TPM of the owner. @returns which Machines say so, and which have an Event */
async function borrowed({
  isProved = false,
  isGoverned = true,
}): Promise<{ told: string[]; alarmed: string[] }> {
  const told: string[] = [];
  const alarmed: string[] = [];
  const holder = { spec: { machine: { ...OTHER, by: 'tpm' } } } as NodeRecord;
  const proofs = new FailedProofs({
    client: {} as KubeClient,
    store: { find: async (_, name) => (isProved && name === OTHER.name ? holder : undefined) },
    alarms: { failed: (uids) => void alarmed.push(...uids) },
    attested: { failed: (uid, reason) => void told.push(`${uid} ${reason}`) },
    isHolder: () => false,
    isGoverned: () => isGoverned,
    changed: () => undefined,
  });
  const claim = { method: 'tpm', namespace: 'n', endorsementKey: 'sha256:k' };
  await proofs.failed(FOUND as never, claim, new Violation('EndorsementKeyForeign', 'borrowed', OTHER));
  return { told, alarmed };
}

it('says on a Machine that waits for its proof who came in its name', async () => {
  expect(await borrowed({})).toEqual({
    told: ['uid-b EndorsementKeyForeign'],
    alarmed: ['uid-a', 'uid-b'],
  });
});

it('says nothing of a Machine that is proved already, or of which no policy says anything', async () => {
  for (const of of [{ isProved: true }, { isGoverned: false }])
    expect(await borrowed(of)).toEqual({ told: [], alarmed: ['uid-a', 'uid-b'] });
});

it('does not know what a Machine is that a stranger calls itself, and still tells of the machine that was proved', async () => {
  const told: string[] = [];
  const proofs = new FailedProofs({
    client: {} as KubeClient,
    store: { find: async () => undefined },
    alarms: { failed: () => undefined },
    attested: { failed: (_, reason, why, status = 'False') => void told.push(`${status} ${reason}: ${why}`) },
    isHolder: (key) => key === 'sha256:own',
    isGoverned: () => true,
    changed: () => undefined,
  });
  const fail = (endorsementKey: string, byFirstUse: boolean) =>
    proofs.failed(
      FOUND as never,
      { method: 'tpm', namespace: 'n', endorsementKey, byFirstUse },
      new Violation('EndorsementKeyUntrusted', 'Not in the list.'),
    );
  for (let at = 0; at < 100; at += 1) await fail(`sha256:${at}`, true);
  expect(told.length).toBeLessThan(20);
  expect(told.at(-1)).toMatch(/^Unknown EndorsementKeyUntrusted: Not in the list\. Nobody named this TPM/);
  await fail('sha256:own', true);
  await fail('sha256:named', false);
  expect(told.slice(-2)).toEqual(Array(2).fill('False EndorsementKeyUntrusted: Not in the list.'));
});

it.each([
  [undefined, {}],
  [{ state: 'Pending', at: 'before' }, { waits: true }],
  [{ state: 'Refused', at: 'before', why: 'another', waits: true }, { waits: true }],
  [{ state: 'Admitted', at: 'before' }, {}],
] as const)(
  'refuses a node that was %j, which says whether somebody admitted it',
  async (admission, more) => {
    const written: unknown[] = [];
    const holder = {
      ...{ namespace: 'n', name: OWNER.name },
      spec: {
        keyDigest: 'k',
        machine: { ...OWNER, by: 'tpm' },
        enrolment: { endorsementKey: 'e' },
        admission,
      },
    } as unknown as NodeRecord;
    const proofs = new FailedProofs({
      client: {
        request: async (_: string, __: string, { body }: { body: unknown[] }) => void written.push(...body),
      } as unknown as KubeClient,
      store: { find: async () => holder },
      alarms: { failed: () => undefined },
      attested: { failed: () => undefined },
      isHolder: () => true,
      isGoverned: () => true,
      changed: () => undefined,
    });
    const claim = { method: 'tpm', namespace: 'n', endorsementKey: 'e' };
    await proofs.failed(FOUND as never, claim, new Violation('TpmBootStateChanged', 'PCR 4'));
    expect(written).toEqual([
      { op: 'test', path: '/spec/keyDigest', value: 'k' },
      // Whoever has quarantined it meanwhile has the last word.
      { op: 'test', path: '/spec/admission', value: admission ?? null },
      {
        ...{ op: 'add', path: '/spec/admission' },
        value: {
          ...{ state: 'Refused', at: expect.any(String), reason: 'TpmBootStateChanged', why: 'PCR 4' },
          ...more,
        },
      },
    ]);
  },
);
