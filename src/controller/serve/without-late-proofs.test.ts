import { expect, it } from 'vitest';
import type { Claim, Evidence } from '../attest/attestor.ts';
import { Holders } from '../attest/holders.ts';
import type { Store } from '../store/store.ts';
import { withoutLateProofs } from './without-late-proofs.ts';

const CLAIM: Claim = { method: 'machine-token', namespace: 'ns', machineUid: 'u', epoch: 0 };
const EVIDENCE = { token: 'a token' } as Evidence;

/** @param nodeName of the Machine */
function examine(claim: Claim, nodeName: string | undefined): Promise<void> {
  const holders = new Holders({
    store: {} as Store,
    nodeOfKey: () => undefined,
    ties: {
      find: () => ({
        tie: { name: 'm', uid: 'u', by: 'token' },
        ...{ namespace: 'ns', owner: { apiVersion: 'v', name: 'm', uid: 'u' }, nodeName },
      }),
      objection: () => undefined,
      wantsProof: () => false,
    },
  });
  return holders.examine(claim, { instance: 'i', hostname: 'm' });
}

it.each([false, true])(
  'has a late machine refused with the reason, and asked for nothing more (proof shown: %s)',
  async (isShown) => {
    const late: Claim = { ...CLAIM, lateProof: { isShown, objection: () => undefined } };
    const claim = await withoutLateProofs({ attest: async () => late }).attest(EVIDENCE);
    await expect(examine(claim as Claim, 'n1')).rejects.toMatchObject({
      ...{ code: 'unauthorized', wants: undefined },
      words: expect.stringMatching(
        /has its Node already.*until the CustomResourceDefinitions.*manifests\/crd/,
      ),
    });
    // In time it counts as ever.
    await examine(claim as Claim, undefined);
  },
);

it('changes nothing of other claims, nor where it is of another kind', async () => {
  const of = (claim: Claim | undefined) => withoutLateProofs({ attest: async () => claim }).attest(EVIDENCE);
  expect(await of(CLAIM)).toBe(CLAIM);
  expect(await of(undefined)).toBeUndefined();
});
