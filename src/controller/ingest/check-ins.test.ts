import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SimulatedMachine } from '../../../test/support/controller/simulated-machine.ts';
import { CHECKIN_PATH } from '../../protocol/check-in/check-in.ts';
import { CertificateChecker } from '../attest/certificate-checker.ts';
import { Enrolment } from '../attest/enrolment.ts';
import { makeToken, TokenAttestor, type TokenRecord } from '../attest/token.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { type Store, StoreBusy } from '../store/store.ts';
import { CheckIns } from './check-ins.ts';
import { digestOf, startIngest } from './fixtures/ingest-scene.ts';
import type { IngestServer } from './server.ts';

let server: IngestServer | undefined;
/** What the API server has, and how often it was asked. */
let stored: NodeRecord | undefined;
let reads = 0;
/** What the watch has told. */
let watched: NodeRecord | undefined;
let machine: SimulatedMachine;

afterEach(async () => {
  machine.hangUp();
  await server?.drain(0);
});

const recordOf = (one: SimulatedMachine, seq: number): NodeRecord => ({
  ...{ namespace: 'ns', name: 'n', epoch: 0, seq, storedAt: 0, writes: 1 },
  summary: { ...newSummary(), phase: 'Succeeded' },
  spec: {
    ...{ instance: 'i', hostname: 'h', keyDigest: digestOf(one) },
    enrolment: { method: 'token', at: 'now' },
  },
});

/** A controller of which the machine has a certificate and that has stored its events up to 40. */
async function start(everySeconds = 300): Promise<void> {
  const store = {
    find: async () => {
      reads += 1;
      return stored;
    },
  } as unknown as Store;
  const bearers = new CertificateChecker({ store, nodeOfKey: () => undefined });
  const checkIns = new CheckIns({
    bearers,
    watched: (key) => (watched && nodeKey(watched) === key ? watched : undefined),
    everySeconds,
  });
  const scene = await startIngest({ checkIns });
  server = scene.server;
  machine = scene.machine();
  stored = recordOf(machine, 40);
  watched = stored;
  reads = 0;
}

async function checkIn(seq: number, instance = 'i') {
  const { status, body } = await machine.post(CHECKIN_PATH, {
    version: 1,
    machine: { instance, hostname: 'h' },
    told: { seq },
    // Of a later version.
    logs: { size: 1 },
  });
  return { status, ...JSON.parse(body) };
}

describe('a check-in', () => {
  it('is answered by what the watch has told, without a read of the store', async () => {
    await start();
    for (let at = 0; at < 30; at += 1)
      expect(await checkIn(40)).toEqual({
        ...{ status: 200, version: 1, wants: 'nothing' },
        checkin: { everySeconds: 300 },
      });
    expect(reads).toBe(0);
  });

  it('asks for events where the record has less than was acknowledged, and only where the store says so too', async () => {
    await start();
    watched = recordOf(machine, 12);
    expect(await checkIn(40)).toMatchObject({ status: 200, wants: 'nothing' });
    expect(reads).toBe(1);
    // Made anew, as clusterctl move does it: without a status, and with the same key.
    stored = { ...recordOf(machine, 0), summary: newSummary() };
    watched = stored;
    expect(await checkIn(40)).toEqual({
      ...{ status: 200, version: 1, wants: 'events' },
      checkin: { everySeconds: 300 },
    });
    expect(reads).toBe(2);
  });

  it('reads so often that a machine may check in, and not without end', async () => {
    await start();
    watched = undefined;
    let answer = await checkIn(40);
    for (let at = 0; answer.status === 200 && at < 100; at += 1) answer = await checkIn(40);
    expect(answer.status).toBe(429);
    expect(reads).toBeLessThan(20);
  });

  it('is refused to a machine that is gone, and to a copy with another instance id', async () => {
    await start();
    expect(await checkIn(40, 'another')).toMatchObject({ status: 403, error: 'forbidden' });
    stored = undefined;
    watched = undefined;
    expect(await checkIn(40)).toMatchObject({ status: 401, error: 'unauthorized' });
  });

  it('is not wanted where the operator says so, and the answer says that it is the last one', async () => {
    await start(0);
    expect(await checkIn(40)).toEqual({ status: 200, version: 1, wants: 'nothing' });
  });
});

describe('the wish after events', () => {
  it('comes once the bootstrap is over', () => {
    const bearers = {} as CertificateChecker;
    const on = new CheckIns({ bearers, everySeconds: 600 });
    for (const phase of ['Succeeded', 'Failed', 'Lost'] as const)
      expect(on.wish(phase)).toEqual({ checkin: { everySeconds: 600 } });
    for (const phase of ['Waiting', 'Running', 'Reset'] as const) expect(on.wish(phase)).toEqual({});
    expect(new CheckIns({ bearers, everySeconds: 0 }).wish('Succeeded')).toEqual({});
  });
});

describe('a question about a token', () => {
  const about = { namespace: 'ns', expiresAt: Date.now() + 60_000, uses: 1 };

  async function ask(
    token: string | undefined,
    record: TokenRecord,
    strangerRate = { perSecond: 1, burst: 40 },
  ) {
    const taken: string[] = [];
    const tokens = new TokenAttestor({
      find: (id) => (id === record.id ? record : undefined),
      take: async (id) => {
        taken.push(id);
        throw new StoreBusy('nobody may spend it');
      },
      giveBack: () => undefined,
    });
    const enrolment = new Enrolment({
      store: {} as Store,
      ...{ bearers: {} as CertificateChecker, nodeOfKey: () => undefined, attestors: [tokens] },
      ...{ authority: () => expect.fail(), trusted: () => '', certificateMs: 1 },
    });
    const scene = await startIngest({ enrolment, strangerRate });
    server = scene.server;
    machine = scene.machine();
    machine.show(undefined);
    const post = async () => {
      const { status, body } = await machine.post(CHECKIN_PATH, {
        ...{ version: 1, machine: { instance: 'i', hostname: 'h' } },
        ...(token === undefined ? {} : { token }),
      });
      return { status, ...JSON.parse(body) };
    };
    return { post, taken };
  }

  it('says that it counts, and spends nothing', async () => {
    const { token, record } = makeToken(about);
    const { post, taken } = await ask(token, record);
    expect(await post()).toEqual({ status: 200, version: 1, wants: 'nothing' });
    expect(taken).toEqual([]);
  });

  it('tells a stranger nothing but no, as often as strangers may ask', async () => {
    const { record } = makeToken(about);
    const { post } = await ask(makeToken(about).token, record, { perSecond: 0.01, burst: 3 });
    for (let at = 0; at < 3; at += 1) expect(await post()).toEqual({ status: 401, error: 'unauthorized' });
    expect(await post()).toMatchObject({ status: 429 });
  });

  it('says why a genuine token does not count: its Machine has a Node, or it was used', async () => {
    const uid = '12345678-1234-1234-1234-123456789abc';
    let hasNode = true;
    const spend = vi.fn();
    const enrolment = new Enrolment({
      store: {} as Store,
      ...{ bearers: {} as CertificateChecker, nodeOfKey: () => undefined },
      attestors: [
        { attest: async () => ({ method: 'machine-token', namespace: 'ns', machineUid: uid, epoch: 0 }) },
      ],
      ties: {
        find: () => ({
          ...{ tie: { name: 'm', uid, by: 'token' }, namespace: 'ns', nodeName: hasNode ? 'n1' : undefined },
          owner: { apiVersion: 'cluster.x-k8s.io/v1beta2', name: 'm', uid },
        }),
        objection: () => undefined,
        wantsProof: () => false,
      },
      proofs: { of: async () => ({ epoch: 1 }) as never, spend },
      ...{ authority: () => expect.fail(), trusted: () => '', certificateMs: 1 },
    });
    const scene = await startIngest({ enrolment });
    server = scene.server;
    machine = scene.machine();
    machine.show(undefined);
    const body = { version: 1, machine: { instance: 'i', hostname: 'h' }, token: 'slwm.0123456789abcdef' };
    const answer = async () => JSON.parse((await machine.post(CHECKIN_PATH, body)).body);
    expect(await answer()).toMatchObject({ error: 'unauthorized', words: expect.stringContaining('Node') });
    hasNode = false;
    expect(await answer()).toMatchObject({ error: 'unauthorized', words: expect.stringMatching(/used/) });
    expect(spend).not.toHaveBeenCalled();
  });

  it('needs a token or a certificate', async () => {
    const { record } = makeToken(about);
    const { post } = await ask(undefined, record);
    expect(await post()).toEqual({ status: 401, error: 'unauthorized' });
  });
});
