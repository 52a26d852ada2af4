import { afterEach, expect, it } from 'vitest';
import type { SimulatedMachine } from '../../../test/support/controller/simulated-machine.ts';
import { CertificateChecker } from '../attest/certificate-checker.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import type { Addition, Store } from '../store/store.ts';
import { Metrics } from '../web/metrics.ts';
import { digestOf, sign, startIngest } from './fixtures/ingest-scene.ts';
import { EventIntake } from './intake.ts';
import type { IngestServer } from './server.ts';

const ROUNDS = 40;
let server: IngestServer | undefined;
let machines: SimulatedMachine[] = [];

afterEach(async () => {
  for (const machine of machines) machine.hangUp();
  await server?.drain(0);
});

it('lets neither who had the name before nor a copy of the disk take anything from the machine that is it', async () => {
  let record: NodeRecord = {
    ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: '', enrolment: { method: 'token', at: 'now' } },
  };
  const store = {
    thrifty: false,
    find: async () => record,
    certify: async () => undefined,
    append: async (before: NodeRecord, { epoch, events, summary }: Addition) => {
      record = { ...before, epoch, summary, seq: events.at(-1)?.seq ?? before.seq };
      return record;
    },
  } as unknown as Store;
  const bearers = new CertificateChecker({ store, nodeOfKey: () => undefined });
  const scene = await startIngest({ intake: new EventIntake(store, bearers, new Metrics()) });
  server = scene.server;
  const [genuine, before, copy] = [scene.machine(), scene.machine(), scene.machine()];
  machines = [genuine, before, copy];
  Object.assign(copy, { key: genuine.key });
  copy.show(sign(copy, 'aa').certificate);
  genuine.show(sign(genuine, 'bb').certificate);
  record = {
    ...record,
    spec: { ...record.spec, keyDigest: digestOf(genuine), certificate: { serial: 'bb' } },
  };

  const refusals = new Set<number>();
  const answers = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // As much as one may send: whatever it says, it has to be read.
    for (const other of [before, copy]) {
      for (let at = 0; at < 100; at += 1) other.tell({ type: 'fact', name: 'n', value: 'x'.repeat(900) });
      const { status } = await other.post('/v1/events', other.batch(other.spool));
      refusals.add(status);
      other.spool = [];
    }
    genuine.tell({ type: 'fact', name: 'n', value: `${round}` });
    const { status } = await genuine.post('/v1/events', genuine.batch(genuine.spool));
    answers.add(status);
    genuine.spool = [];
  }
  expect([...answers]).toEqual([200]);
  // They themselves are bounded, as strangers are.
  expect(refusals).toEqual(new Set([401, 429]));
  expect(record.seq).toBe(ROUNDS);
});
