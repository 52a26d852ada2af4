import { beforeEach, expect, it } from 'vitest';
import type { Claim } from '../attest/attestor.ts';
import { Judge } from '../attest/judge.ts';
import { Refused } from '../attest/refused.ts';
import { FreshProofs } from '../fresh-proofs/fresh-proofs.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { readMachine } from '../machines/machine.ts';
import type { Admission, NodeRecord, TpmCounters } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { type NodeIdentityPolicy, readPolicy } from '../policy/identity-policy.ts';
import { secretsCluster } from './fixtures/secrets-cluster.ts';
import { SealedParts } from './sealed-parts.ts';
import { SecretReleaser } from './secret-releaser.ts';

const KEY = `sha256:${'a'.repeat(64)}`;
const PEER = { namespace: 'ns', name: 'm', binding: 'key', serial: 's', madeAt: 0 };
const MACHINE = { instance: 'i', hostname: 'm' };
const PROOF = { challenge: B(), opened: B(), quoted: B(), signature: B(), values: [] };
const DAY_MS = 86_400_000;

let directory: MachineDirectory;
let record: NodeRecord;
/** What the TPM proves; undefined: there is none. */
let claim: Claim | undefined;
/** What its counters were. */
let seen: TpmCounters | undefined;
let parts: SealedParts;
/** Secrets of the controller's namespace. */
let secrets: ReturnType<typeof secretsCluster>['secrets'];

function B(): Uint8Array {
  return new Uint8Array(1);
}

beforeEach(async () => {
  directory = new MachineDirectory();
  put('m', 'u');
  record = tied('token');
  claim = undefined;
  seen = undefined;
  const cluster = secretsCluster();
  secrets = cluster.secrets;
  parts = new SealedParts(cluster.client, 'slipway-system');
  await seal(DAY_MS);
});

function put(name: string, uid: string, annotations: Record<string, string> = {}): void {
  const metadata = { namespace: 'ns', name, uid, annotations, creationTimestamp: new Date().toISOString() };
  directory.put(readMachine({ metadata, spec: { clusterName: 'c' } }, 'v1beta2'));
}

function tied(by: 'token' | 'tpm' | 'firstUse' | 'name', admission?: Admission): NodeRecord {
  const hasKey = by === 'tpm' || by === 'firstUse';
  const enrolment = hasKey ? { method: 'tpm', endorsementKey: KEY } : { method: 'machine-token' };
  return {
    ...{ namespace: 'ns', name: 'm', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: {
      ...{ ...MACHINE, keyDigest: 'key', enrolment: { ...enrolment, at: '' } },
      ...{ machine: { name: 'm', uid: 'u', by }, ...(admission ? { admission } : {}) },
    },
  };
}

function seal(lifetimeMs: number): Promise<void> {
  const expires = new Date(Date.now() + lifetimeMs).toISOString();
  return parts.put('u', {
    machine: 'ns/m',
    expires,
    digest: `sha256:${'d'.repeat(64)}`,
    key: Buffer.alloc(32, 7),
  });
}

function demand(spec: Partial<NodeIdentityPolicy['spec']>): void {
  directory.policies.put(
    readPolicy({ metadata: { namespace: 'ns', name: 'p' }, spec: { method: 'tpm', ...spec } }),
  );
}

/** @returns what is answered, or why it is refused */
async function release(more: { proof?: typeof PROOF; instance?: string } = {}): Promise<string> {
  const { proof, instance = 'i' } = more;
  const proofs = new FreshProofs({
    bearers: { admit: async () => record },
    ties: directory,
    judge: new Judge({
      policiesOf: (uid) => directory.policiesOf(directory.byUid(uid) as never),
      madeAt: (uid) => directory.byUid(uid)?.madeAt ?? 0,
      otherOf: () => undefined,
      store: { find: async () => record },
      identities: {
        of: async () => ({ epoch: 1, keyDigest: 'key', endorsementKey: KEY }),
        bind: async () => true,
      },
      holders: { take: async () => true },
      counters: {
        seen: async () => seen,
        note: async (_, __, now) => {
          seen = now;
        },
      },
      chains: { whyUntrusted: async () => undefined },
      failed: async () => undefined,
    }),
    tpm: { attest: async () => claim },
    retie: async (node, machine, enrolment) => {
      record = { ...node, spec: { ...node.spec, machine, enrolment } };
      return record;
    },
  });
  const releases = new SecretReleaser({ proofs, sealed: parts });
  const request = { version: 1 as const, machine: { ...MACHINE, instance }, ...(proof ? { proof } : {}) };
  try {
    const { reply, machine } = await releases.release(request, PEER, B());
    return `${machine} ${Buffer.from(reply.key ?? B()).toString('hex')}`;
  } catch (error) {
    if (error instanceof Refused) return error.reason ?? error.code;
    throw error;
  }
}

const GIVEN = `ns/m ${'07'.repeat(32)}`;
const proved = (registers = { 0: '00' }, endorsementKey = KEY, counters?: TpmCounters): void => {
  claim = {
    ...{ method: 'tpm', namespace: 'ns', machineUid: 'u', endorsementKey, registers },
    ...(counters ? { counters } : {}),
  };
};

it('gives a machine that has no TPM what was sealed once, and nobody a second time', async () => {
  const answers = await Promise.all([release(), release(), release()]);
  expect(answers.sort()).toEqual(['SealedDataTaken', 'SealedDataTaken', GIVEN].sort());
  expect(await release()).toBe('SealedDataTaken');
  await seal(DAY_MS);
  expect(await release()).toBe(GIVEN);
});

it('gives nothing that has expired, and does not count it as taken', async () => {
  await seal(-1);
  expect(await release()).toBe('SealedDataExpired');
  await seal(DAY_MS);
  expect(await release()).toBe(GIVEN);
});

it('clears what has expired away when something else is sealed, and nothing of others', async () => {
  await seal(-1);
  const expires = new Date(Date.now() + DAY_MS).toISOString();
  for (const uid of ['v', 'w']) await parts.put(uid, { machine: `ns/${uid}`, expires, digest: 'd' });
  expect([...secrets.keys()].sort()).toEqual(['slipway-sealed-v', 'slipway-sealed-w']);
});

it('takes no Secret of another type for a sealed part', async () => {
  const known = secrets.get('slipway-sealed-u');
  if (known) secrets.set('slipway-sealed-u', { ...known, type: 'Opaque' });
  expect(await release()).toBe('SealedDataMissing');
});

it('gives nothing to who only claims to be the Machine, to another machine, and where the Machine is gone or goes', async () => {
  record = tied('name');
  expect(await release()).toBe('SealedDataRefused');
  record = tied('token');
  expect(await release({ instance: 'a copy' })).toBe('forbidden');
  directory.remove('ns/m');
  expect(await release()).toBe('SealedDataRefused');
  put('m', 'another Machine of this name');
  expect(await release()).toBe('SealedDataRefused');
});

it.each(['Pending', 'Quarantined', 'Refused'] as const)(
  'gives nothing to a node that is %s',
  async (state) => {
    record = tied('token', { state, at: '' });
    expect(await release()).not.toBe(GIVEN);
    record = tied('token', { state: 'Admitted', at: '' });
    expect(await release()).toBe(GIVEN);
  },
);

it('holds a machine to policies at each release, also to those that came after it enrolled', async () => {
  demand({ fallback: 'token', window: '2x' });
  expect(await release()).toBe('IdentityPolicyInvalid');
  demand({ fallback: 'none' });
  expect(await release()).toBe('SealedDataRefused');
  demand({ fallback: 'token' });
  expect(await release()).toBe(GIVEN);
});

it('wants a fresh proof of the same TPM for each release, and judges what it has booted into', async () => {
  put('m', 'u', { 'slipway.dev/endorsement-key': KEY });
  record = tied('tpm');
  expect(await release()).toBe('SealedDataRefused');
  expect(await release({ proof: PROOF })).toBe('EndorsementKeyForeign');
  proved({ 0: '00' }, `sha256:${'b'.repeat(64)}`);
  expect(await release({ proof: PROOF })).toBe('EndorsementKeyForeign');
  proved();
  if (claim) claim = { ...claim, machineUid: 'another Machine that names this TPM' };
  expect(await release({ proof: PROOF })).toBe('EndorsementKeyForeign');
  proved();
  demand({ registers: { pcrs: [0], values: [{ pcr: 0, anyOf: ['11'] }] } });
  expect(await release({ proof: PROOF })).toBe('TpmBootStateChanged');
  demand({ registers: { pcrs: [0], values: [{ pcr: 0, anyOf: ['00'] }] } });
  // As often as it proves itself.
  for (const _ of [1, 2]) expect(await release({ proof: PROOF })).toBe(GIVEN);
});

it('gives nothing to a TPM that was put back to an earlier state, with a policy and without', async () => {
  put('m', 'u', { 'slipway.dev/endorsement-key': KEY });
  record = tied('tpm');
  for (const spec of [undefined, {}]) {
    seen = undefined;
    if (spec) demand(spec);
    proved(undefined, KEY, { resets: 2, restarts: 0, clock: 5 });
    expect(await release({ proof: PROOF })).toBe(GIVEN);
    proved(undefined, KEY, { resets: 1, restarts: 9, clock: 900_000 });
    expect(await release({ proof: PROOF })).toBe('TpmStateWentBack');
    proved(undefined, KEY, { resets: 3, restarts: 0, clock: 0 });
    expect(await release({ proof: PROOF })).toBe(GIVEN);
  }
});

it('gives nothing to a key that nobody vouches for, until it is named or listed', async () => {
  const byFirstUse = (): void => {
    proved();
    if (claim) claim = { ...claim, byFirstUse: true };
  };
  demand({ endorsementKeys: { firstUse: true } });
  byFirstUse();
  // What an earlier controller took for a proof is none either.
  for (const by of ['firstUse', 'tpm'] as const) {
    record = tied(by);
    expect(await release({ proof: PROOF })).toBe('SealedDataRefused');
    expect(await release()).toBe('SealedDataRefused');
  }
  record = tied('firstUse');
  demand({ endorsementKeys: { firstUse: true, trusted: [] } });
  expect(await release({ proof: PROOF })).toBe('EndorsementKeyUntrusted');
  demand({ endorsementKeys: { firstUse: true, trusted: [KEY] } });
  expect(await release({ proof: PROOF })).toBe(GIVEN);
  // The node says so from then on.
  expect(record.spec.machine?.by).toBe('tpm');
  expect(record.spec.enrolment).toMatchObject({ method: 'tpm', policies: ['p'], registers: { 0: '00' } });
  record = tied('firstUse');
  demand({ endorsementKeys: { firstUse: true } });
  put('m', 'u', { 'slipway.dev/endorsement-key': KEY });
  proved();
  // As often as it proves itself, as with any TPM.
  for (const _ of [1, 2]) expect(await release({ proof: PROOF })).toBe(GIVEN);
});
