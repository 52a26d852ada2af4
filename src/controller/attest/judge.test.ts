import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeRecord, TieKind } from '../model/node-record.ts';
import { readPolicy } from '../policy/identity-policy.ts';
import type { Proofs } from '../store/machine-identities.ts';
import type { Claim } from './attestor.ts';
import { Judge } from './judge.ts';
import type { Found } from './ties.ts';

const policy = readPolicy({
  metadata: { namespace: 'ns', name: 'p' },
  spec: { method: 'tpm', endorsementKeys: { firstUse: true } },
});
const claim: Claim = {
  ...{ method: 'tpm', namespace: 'ns', machineUid: 'u', endorsementKey: 'mine', byFirstUse: true },
};

let holder: NodeRecord | undefined;
let isFree: boolean;
let known: Proofs | undefined;
let bound: unknown[];
let failed: string[];
beforeEach(() => {
  [holder, isFree, known, bound, failed] = [undefined, true, undefined, [], []];
});

const judge = new Judge({
  ...{ policiesOf: () => [policy], madeAt: () => Date.now(), otherOf: () => undefined },
  store: { find: async () => holder },
  identities: {
    of: async () => known,
    bind: async (_, __, kept) => {
      bound.push(kept);
      return true;
    },
  },
  holders: { take: async () => isFree },
  counters: { seen: () => undefined, note: async () => undefined },
  failed: async (_, __, { reason }) => {
    failed.push(reason);
  },
});

function judged(hasNode = false) {
  const owner = { apiVersion: 'v', name: 'm', uid: 'u' };
  const found: Found = { namespace: 'ns', tie: { name: 'm', uid: 'u', by: 'tpm' }, owner, hasNode };
  return judge.judge(claim, { instance: 'i', hostname: 'm' }, found);
}

/** The node of the Machine is there already, by this proof or claim. */
function held(by: TieKind, endorsementKey: string | undefined, uid = 'u'): void {
  const enrolment = { method: by, at: '', ...(endorsementKey === undefined ? {} : { endorsementKey }) };
  holder = { spec: { machine: { name: 'm', uid, by }, enrolment } } as unknown as NodeRecord;
}

describe('the first TPM that comes', () => {
  it('is bound to the Machine, also in the place of who only claimed to be it, or was an earlier one', async () => {
    for (const before of [undefined, ['name'], ['tpm', 'mine'], ['tpm', 'other', 'earlier']] as const) {
      holder = undefined;
      if (before) held(before[0], before[1], before[2]);
      expect(await judged()).toEqual({ policies: ['p'], isPending: false });
    }
    expect(bound).toHaveLength(4);
    expect(bound[0]).toMatchObject({ endorsementKey: 'mine', isNamed: false, isFirst: true });
  });

  it.each<[string, { hasNode?: true; isTaken?: true; by?: TieKind; key?: string }, string]>([
    ['that has its Node', { hasNode: true }, 'EnrolmentTooLate'],
    ['that a token has proved', { by: 'token' }, 'EndorsementKeyForeign'],
    ['that another TPM has proved', { by: 'tpm', key: 'other' }, 'EndorsementKeyForeign'],
    ["where it is another Machine's", { isTaken: true }, 'EndorsementKeyForeign'],
  ])('is no Machine %s', async (_, { hasNode, isTaken, by, key }, reason) => {
    isFree = isTaken === undefined;
    if (by) held(by, key);
    await expect(judged(hasNode)).rejects.toMatchObject({ code: 'forbidden', reason });
    expect([bound, failed]).toEqual([[], [reason]]);
  });
});
