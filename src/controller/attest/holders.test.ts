import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { MachineTie, NodeRecord } from '../model/node-record.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import type { Claim } from './attestor.ts';
import { CertificateChecker } from './certificate-checker.ts';
import { Holders } from './holders.ts';

let dir: string;
let store: SqliteStore;
/** UIDs of Machines whose token was used. */
let spent: Map<string, { epoch: number; keyDigest: string }>;
let replaced: NodeRecord[];
let nodeName: string | undefined;
let isSpentElsewhere: boolean;
let retied: MachineTie[];
/** By which kind of tie a machine with an endorsement key is found. */
let keyIs: 'tpm' | 'firstUse';

beforeEach(() => {
  dir = scratch();
  store = new SqliteStore(join(dir, 'db'));
  spent = new Map();
  replaced = [];
  nodeName = undefined;
  isSpentElsewhere = false;
  retied = [];
  keyIs = 'tpm';
});
afterEach(async () => {
  await store.close();
});

const pool: Claim = { method: 'pool-token', namespace: 'ns' };
const proof = (epoch = 0): Claim => ({ method: 'machine-token', namespace: 'ns', machineUid: 'u', epoch });
const tpm = (endorsementKey = 'one'): Claim => ({
  ...{ method: 'tpm', namespace: 'ns', machineUid: 'u', endorsementKey },
});

/** A replica; the Machine `m` is found by each host name that begins with it. */
function replica(): Holders {
  return new Holders({
    store,
    ties: {
      find: ({ machineUid, endorsementKey }, { hostname }) =>
        hostname.startsWith('m') || machineUid
          ? {
              tie: { name: 'm', uid: 'u', by: endorsementKey ? keyIs : machineUid ? 'token' : 'name' },
              ...{ namespace: 'ns', owner: { apiVersion: 'v', name: 'm', uid: 'u' }, nodeName },
            }
          : undefined,
      objection: () => undefined,
      wantsProof: () => false,
    },
    proofs: {
      of: async (_, uid) => spent.get(uid),
      spend: async (_, { uid }, epoch, keyDigest) => {
        if (isSpentElsewhere) return false;
        spent.set(uid, { epoch: epoch + 1, keyDigest });
        return true;
      },
    },
    nodeOfKey: (digest) => store.nodeOfKey(digest),
    retie: async (node, tie, enrolment) => {
      retied.push(tie);
      return { ...node, spec: { ...node.spec, machine: tie, enrolment } };
    },
    replaced: (before) => void replaced.push(before),
  });
}

const admit = (
  claim: Claim,
  key: string,
  more: { hostname?: string; instance?: string } = {},
  binding?: string,
) =>
  replica().admit(
    claim,
    { hostname: 'm', instance: `instance of ${key}`, ...more },
    { keyDigest: key, certificate: { serial: '1' } },
    binding,
  );

const holder = async (): Promise<string | undefined> => (await store.find('ns', 'm'))?.spec.keyDigest;

it('gives a Machine to one of those that come at once', async () => {
  const done = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => admit(pool, `key ${at}`)));
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await store.list()).toHaveLength(1);
});

it('lets a proof take the place of a claim, and nothing the place of a proof', async () => {
  await admit(pool, 'thief');
  await expect(admit(pool, 'other thief')).rejects.toThrow(/with another key/);
  await admit(proof(), 'genuine');
  expect([await holder(), replaced[0]?.spec.keyDigest]).toEqual(['genuine', 'thief']);
  await expect(admit(pool, 'thief')).rejects.toThrow(/with another key/);
  await expect(admit(proof(1), 'second')).rejects.toThrow(/with another key/);
  expect(await holder()).toBe('genuine');
});

it('gives a Machine its name, whoever has it by chance or on purpose', async () => {
  await store.create('ns', 'm', {
    ...{ instance: 'x', hostname: 'x', keyDigest: 'squatter' },
    enrolment: { method: 'pool-token', at: '' },
  });
  await admit(pool, 'genuine');
  expect(await holder()).toBe('genuine');
});

it('takes a token once, also after its node was deleted and with its own key', async () => {
  const node = await admit(proof(), 'key');
  // The answer was lost.
  await admit(proof(), 'key');
  expect(await store.remove((await store.find('ns', 'm')) ?? node)).toBe(true);
  await expect(admit(proof(), 'key')).rejects.toThrow(/was used already/);
  await expect(admit(proof(), 'other')).rejects.toThrow(/was used already/);
  await admit(proof(1), 'other');
  expect(await holder()).toBe('other');
});

it('takes nobody for a Machine that has a Node, except its holder again', async () => {
  await admit(proof(), 'key');
  nodeName = 'n1';
  await admit(proof(), 'key');
  await expect(admit(proof(1), 'other')).rejects.toThrow(/has its Node already/);
});

describe('a machine that comes when its Machine has its Node', () => {
  const late = (objection?: string, isShown = true): Claim => ({
    ...proof(),
    lateProof: { isShown, objection: (node) => (node === 'n1' ? objection : `it is not ${node}`) },
  });
  beforeEach(() => {
    nodeName = 'n1';
  });

  it('may report, when it shows that it is that Node, once', async () => {
    const { spec } = await admit(late(), 'key');
    expect(spec.machine?.by).toBe('lateToken');
    // Its answer was lost.
    expect((await admit(late(), 'key')).spec.keyDigest).toBe('key');
    await expect(admit(late(), 'other')).rejects.toMatchObject({
      ...{ message: expect.stringMatching(/was used already/), isSecondHolder: true },
      claim: { machineUid: 'u' },
    });
    expect(await holder()).toBe('key');
  });

  it('takes the place of a claim, and of nothing that is a proof', async () => {
    nodeName = undefined;
    await admit(pool, 'claims');
    nodeName = 'n1';
    await admit(late(), 'late');
    expect([await holder(), replaced.length]).toEqual(['late', 1]);
    await admit(tpm(), 'by TPM');
    expect(await holder()).toBe('by TPM');
    await expect(admit({ ...late(), epoch: 1 }, 'later')).rejects.toThrow(/with another key/);
  });

  it('is asked for the proof that it has not shown, and told why it proves nothing', async () => {
    await expect(admit(late(undefined, false), 'key')).rejects.toMatchObject({
      wants: 'node',
      isProved: true,
    });
    const refused = await admit(late('it has run out'), 'key').catch((error: unknown) => error);
    expect(refused).toMatchObject({ wants: undefined, words: expect.stringMatching(/it has run out/) });
    await expect(admit(proof(), 'key')).rejects.toMatchObject({
      ...{ wants: undefined, words: expect.stringMatching(/does not say which authority/) },
    });
    nodeName = 'n2';
    await expect(admit(late(), 'key')).rejects.toMatchObject({
      words: expect.stringMatching(/it is not n2/),
    });
    expect(await store.list()).toEqual([]);
  });

  it('is nobody by the certificate alone: a token of a pool stays a claim', async () => {
    const claim: Claim = { ...pool, lateProof: { isShown: true, objection: () => undefined } };
    await expect(admit(claim, 'key')).rejects.toThrow(/has its Node already/);
  });
});

it('does not accuse anybody of a token that the same machine used before', async () => {
  const node = await admit(proof(), 'key');
  await store.remove((await store.find('ns', 'm')) ?? node);
  await expect(admit(proof(), 'key')).rejects.toMatchObject({
    ...{ isSecondHolder: false, words: expect.stringMatching(/^This machine used the token before/) },
  });
});

it('takes one key for one node', async () => {
  await admit(pool, 'key', { hostname: 'x' });
  await expect(admit(pool, 'key', { hostname: 'y', instance: 'another' })).rejects.toThrow(
    /one key is one node/,
  );
  // Its own untied node makes way where the same machine proves who it is.
  await admit(proof(), 'key', { hostname: 'x' });
  expect((await store.list()).map(({ name }) => name)).toEqual(['m']);
});

it('knows a machine again by its key and instance together, and by neither alone', async () => {
  for (const hostname of ['m', 'x']) {
    await admit(pool, `key of ${hostname}`, { hostname, instance: hostname });
    await expect(admit(pool, 'copy', { hostname, instance: hostname })).rejects.toThrow(/with another key/);
  }
  await expect(admit(pool, 'key of m', { instance: 'copy' })).rejects.toThrow(/with another key/);
  await admit(proof(), 'genuine');
  // What was proved stays what it is.
  const again = admit(pool, 'genuine', { hostname: 'x', instance: 'instance of genuine' });
  await expect(again).rejects.toThrow(/one key is one node/);
});

it('takes the certificate that is shown for the same machine with the same TPM, and for no other one', async () => {
  const instance = 'i';
  await admit(tpm(), 'key', { instance });
  expect((await admit(tpm(), 'second', { instance }, 'key')).spec.keyDigest).toBe('key');
  await expect(admit(tpm('other'), 'third', { instance }, 'key')).rejects.toThrow(/with another key/);
  // No proof of now: a token is none, whatever is shown beside it.
  await expect(admit(proof(), 'third', { instance }, 'key')).rejects.toThrow(/with another key/);
  // Without its certificate, or as another instance, it is a machine installed anew.
  expect((await admit(tpm(), 'fourth', { instance }, 'of another')).spec.keyDigest).toBe('fourth');
  expect((await admit(tpm(), 'fifth', { instance: 'new' }, 'fourth')).spec.keyDigest).toBe('fifth');
});

it('takes the node of an earlier Machine of this name for no proof of this one', async () => {
  await store.create('ns', 'm', {
    ...{ instance: 'i', hostname: 'm', keyDigest: 'old', machine: { name: 'm', uid: 'earlier', by: 'tpm' } },
    enrolment: { method: 'tpm', at: '', endorsementKey: 'one' },
  });
  expect((await admit(tpm(), 'new', { instance: 'i' }, 'old')).spec.machine?.uid).toBe('u');
});

it('shows a certificate to be of no use to a machine that has a token only', async () => {
  await admit(proof(), 'key', { instance: 'i' });
  await expect(admit(proof(1), 'other', { instance: 'i' }, 'key')).rejects.toThrow(/with another key/);
});

it('gives the place of a quarantined node to nobody, and a named token to its node alone', async () => {
  await store.create('ns', 'm', {
    ...{ instance: 'x', hostname: 'm', keyDigest: 'bad', machine: { name: 'm', uid: 'u', by: 'name' } },
    ...{ enrolment: { method: 'pool-token', at: '' }, admission: { state: 'Quarantined', at: '' } },
  });
  await expect(admit(tpm(), 'genuine')).rejects.toMatchObject({ code: 'forbidden' });
  expect(await holder()).toBe('bad');
  const named = { method: 'token', namespace: 'ns', nodeName: 'n' };
  await expect(admit(named, 'key')).rejects.toThrow(/the token is for n/);
});

it('leaves no node where another replica spent the token first', async () => {
  isSpentElsewhere = true;
  await expect(admit(proof(), 'key')).rejects.toThrow(/was used already/);
  expect(await store.list()).toEqual([]);
});

it('counts a use for each node that is made and for nothing else', async () => {
  let used = 0;
  const count = (by: number): void => {
    used += by;
  };
  const use = { take: async () => count(1), giveBack: () => count(-1) };
  await admit({ ...pool, use }, 'first');
  await admit({ ...pool, use }, 'first');
  await expect(admit({ ...pool, use }, 'second')).rejects.toThrow();
  expect(used).toBe(1);
});

it('ends a certificate when the next one is used, and not before', async () => {
  const copied: NodeRecord[] = [];
  const bearers = new CertificateChecker({
    store,
    nodeOfKey: (digest) => store.nodeOfKey(digest),
    copied: (record) => void copied.push(record),
  });
  const peer = (serial: string) => ({ namespace: 'ns', name: 'm', binding: 'key', serial, madeAt: 0 });
  await admit(proof(), 'key');
  const node = await bearers.admit(peer('1'));
  await store.certify(node, { serial: '1', next: '2' });
  await bearers.admit(peer('1'));
  expect((await bearers.admit(peer('2'))).spec.certificate).toEqual({ serial: '2' });
  for (let i = 0; i < 3; i += 1) await expect(bearers.admit(peer('1'))).rejects.toThrow(/was replaced/);
  expect(copied).toHaveLength(1);
  expect((await store.find('ns', 'm'))?.spec.certificate?.copied).toBeDefined();
  expect(bearers.isCurrent(await bearers.admit(peer('2')), peer('1'))).toBe(false);
});

it('keeps no register of a key that nobody vouches for', async () => {
  const boot = { measured: { 0: 'aabbccdd' } } as unknown as NonNullable<Claim['boot']>;
  const shown = { ...tpm(), registers: { 0: '00' }, boot };
  keyIs = 'firstUse';
  const { spec } = await admit(shown, 'key');
  expect(spec.enrolment).toEqual({ method: 'first-use', at: spec.enrolment.at, endorsementKey: 'one' });
  keyIs = 'tpm';
  expect((await admit(shown, 'another', { instance: 'anew' })).spec.enrolment).toMatchObject({
    ...{ method: 'tpm', registers: { 0: '00' }, measured: { 0: 'aabbccdd' } },
  });
});

it('puts a first use above a claim, and below whatever is a proof', async () => {
  await admit(pool, 'claims');
  keyIs = 'firstUse';
  await admit(tpm(), 'first');
  expect(await holder()).toBe('first');
  await expect(admit(pool, 'claims')).rejects.toThrow(/with another key/);
  await expect(admit(tpm('two'), 'second')).rejects.toThrow(/with another key/);
  await admit(proof(), 'by token');
  await expect(admit(tpm(), 'first')).rejects.toThrow(/with another key/);
  keyIs = 'tpm';
  await admit(tpm('two'), 'by TPM');
  expect(await holder()).toBe('by TPM');
});

it('writes with the same node that somebody has come to vouch for its key', async () => {
  const instance = 'i';
  keyIs = 'firstUse';
  await admit(tpm(), 'key', { instance });
  await admit(tpm(), 'next', { instance }, 'key');
  expect(retied).toEqual([]);
  keyIs = 'tpm';
  const node = await admit({ ...tpm(), registers: { 0: '00' } }, 'next', { instance }, 'key');
  expect(node.spec).toMatchObject({ keyDigest: 'key', machine: { by: 'tpm' } });
  expect(node.spec.enrolment.registers).toEqual({ 0: '00' });
  expect([retied.length, replaced]).toEqual([1, []]);
});
