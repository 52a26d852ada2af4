import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeRecord, TieKind } from '../model/node-record.ts';
import { type NodeIdentityPolicy, readPolicy } from '../policy/identity-policy.ts';
import type { Proofs } from '../store/machine-identities.ts';
import type { Claim } from './attestor.ts';
import { Judge } from './judge.ts';
import type { FoundMachine } from './machine-finder.ts';

const demanding = (spec: Partial<NodeIdentityPolicy['spec']>) =>
  readPolicy({ metadata: { namespace: 'ns', name: 'p' }, spec: { method: 'tpm', ...spec } });
const FIRST_USE = demanding({ endorsementKeys: { firstUse: true } });
let policy = FIRST_USE;
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
  policy = FIRST_USE;
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
  counters: { seen: async () => undefined, note: async () => undefined },
  chains: { whyUntrusted: async () => undefined },
  failed: async (_, __, { reason }) => {
    failed.push(reason);
  },
});

function judged(nodeName?: string, by: TieKind = 'tpm', more: Partial<Claim> = {}) {
  const owner = { apiVersion: 'v', name: 'm', uid: 'u' };
  const found: FoundMachine = { namespace: 'ns', tie: { name: 'm', uid: 'u', by }, owner, nodeName };
  return judge.judge({ ...claim, ...more }, { instance: 'i', hostname: 'm' }, found);
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

  it.each<[string, { nodeName?: string; isTaken?: true; by?: TieKind; key?: string }, string]>([
    ['that has its Node', { nodeName: 'n1' }, 'EnrolmentTooLate'],
    ['that a token has proved', { by: 'token' }, 'EndorsementKeyForeign'],
    ['that another TPM has proved', { by: 'tpm', key: 'other' }, 'EndorsementKeyForeign'],
    ["where it is another Machine's", { isTaken: true }, 'EndorsementKeyForeign'],
  ])('is no Machine %s', async (_, { nodeName, isTaken, by, key }, reason) => {
    isFree = isTaken === undefined;
    if (by) held(by, key);
    await expect(judged(nodeName)).rejects.toMatchObject({ code: 'forbidden', reason });
    expect([bound, failed]).toEqual([[], [reason]]);
  });
});

describe('a key that nobody vouches for', () => {
  const comes = (more?: Partial<Claim>) => judged(undefined, 'firstUse', more);

  it('is bound to its Machine without the registers that came with it', async () => {
    await comes({ registers: { 0: '00' } });
    expect(bound).toEqual([{ endorsementKey: 'mine', isNamed: false, isFirst: true }]);
    known = { epoch: 1, keyDigest: '', endorsementKey: 'mine' };
    await comes({ registers: { 0: '00' } });
    expect(bound).toHaveLength(1);
  });

  it.each([
    ['values', { values: [{ pcr: 0, anyOf: ['00'] }] }],
    ['first use', { firstUse: true }],
    ['reference', { reference: 'm' }],
  ])('satisfies no policy that demands registers, by %s', async (_, registers) => {
    policy = demanding({ endorsementKeys: { firstUse: true }, registers: { pcrs: [0], ...registers } });
    const reason = 'EndorsementKeyUntrusted';
    await expect(comes({ registers: { 0: '00' } })).rejects.toMatchObject({ code: 'forbidden', reason });
    expect([bound, failed]).toEqual([[], [reason]]);
  });

  it('makes way for one that somebody vouches for, and not for another of its kind', async () => {
    known = { epoch: 1, keyDigest: '', endorsementKey: 'squatter' };
    held('firstUse', 'squatter');
    await judged(undefined, 'tpm', { registers: { 0: '00' } });
    expect(bound).toMatchObject([{ endorsementKey: 'mine', registers: { 0: '00' } }]);
    known = undefined;
    await expect(comes()).rejects.toMatchObject({ reason: 'EndorsementKeyForeign' });
    // The Lease of the better one has to be free.
    isFree = false;
    known = { epoch: 1, keyDigest: '', endorsementKey: 'squatter' };
    await expect(judged()).rejects.toMatchObject({ reason: 'EndorsementKeyForeign' });
    expect(bound).toHaveLength(1);
  });
});

describe('the reference of a policy', () => {
  const named = { byFirstUse: false, registers: { 0: '00' } };
  beforeEach(() => {
    policy = demanding({ endorsementKeys: { firstUse: true }, registers: { pcrs: [0], reference: 'm' } });
  });

  it('is held to what it showed first, where its TPM is named', async () => {
    expect(await judged(undefined, 'tpm', named)).toEqual({ policies: ['p'], isPending: false });
    known = { epoch: 1, keyDigest: '', endorsementKey: 'mine', registers: { 0: '00' } };
    await judged(undefined, 'tpm', named);
    const changed = { ...named, registers: { 0: '11' } };
    await expect(judged(undefined, 'tpm', changed)).rejects.toMatchObject({ reason: 'TpmBootStateChanged' });
  });

  it('is nobody who comes first and calls itself so', async () => {
    const first = judged(undefined, 'tpm', { registers: { 0: '00' } });
    await expect(first).rejects.toThrow(/which is this one: name its TPM/);
    expect(failed).toEqual(['ReferenceMachineUnknown']);
  });

  it('has no registers where nobody vouched for its key', async () => {
    policy = demanding({ registers: { pcrs: [0], reference: 'r' } });
    held('firstUse', 'k');
    Object.assign(holder?.spec.enrolment ?? {}, { registers: { 0: '00' } });
    await expect(judged(undefined, 'tpm', named)).rejects.toMatchObject({
      reason: 'ReferenceMachineUnknown',
    });
    held('tpm', 'k');
    Object.assign(holder?.spec.enrolment ?? {}, { registers: { 0: '00' } });
    expect(await judged(undefined, 'tpm', named)).toEqual({ policies: ['p'], isPending: false });
  });
});
