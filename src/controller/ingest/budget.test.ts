import { expect, it } from 'vitest';
import type { EventBody, ReadEvent } from '../../protocol/events.ts';
import type { CertificateChecker } from '../attest/certificate-checker.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { withBudget } from '../store/budgeted-store.ts';
import { type Addition, type Store, StoreBudgetExceeded } from '../store/store.ts';
import { WriteBudget } from '../store/write-budget.ts';
import { Metrics } from '../web/metrics.ts';
import { EventIntake } from './intake.ts';

const PEER = { namespace: 'ns', name: 'n', binding: 'd', serial: 's', madeAt: 0 };
const KIB = 1024;

/** A store that writes a node as a whole, and counts what that costs. */
class Whole {
  readonly thrifty = true;
  writes = 0;
  bytes = 0;
  record: NodeRecord = {
    ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'token', at: 'now' } },
    bytes: 0,
  };

  async append(record: NodeRecord, { epoch, events, summary }: Addition): Promise<NodeRecord> {
    const bytes = (record.bytes ?? 0) + Buffer.byteLength(JSON.stringify(events));
    this.writes += 1;
    this.bytes += bytes;
    const seq = events.at(-1)?.seq ?? record.seq;
    // As a store that trims.
    this.record = { ...record, epoch, seq, summary, writes: this.writes, bytes: Math.min(bytes, 600 * KIB) };
    return this.record;
  }
}

/** A machine that keeps what is not stored, and sends it again. */
class Sender {
  readonly store = new Whole();
  now = 0;
  readonly #intake: EventIntake;
  #seq = 0;
  #spool: ReadEvent[] = [];

  constructor() {
    const store = withBudget(this.store as unknown as Store, new WriteBudget(true, () => this.now));
    const bearers = {
      isCurrent: () => true,
      admit: async () => this.store.record,
    } as unknown as CertificateChecker;
    this.#intake = new EventIntake(store, bearers, new Metrics());
  }

  tell(body: EventBody): void {
    this.#seq += 1;
    this.#spool.push({
      ...{ v: 1, machine: { instance: 'i', hostname: 'h' }, boot: 'b', seq: this.#seq },
      ...{ time: '2026-01-01T00:00:00Z', mono: 1, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      ...body,
    });
  }

  /** The intake hears of a change of the node. */
  forget(): void {
    this.#intake.changed(this.store.record);
  }

  /** @returns what is left; a refusal says for how long */
  async send(): Promise<{ left: number; refused?: StoreBudgetExceeded }> {
    const batch = {
      version: 1,
      machine: { instance: 'i', hostname: 'h' },
      events: this.#spool.slice(0, 256),
    };
    try {
      const { stored } = await this.#intake.take(PEER, batch as Parameters<EventIntake['take']>[1]);
      this.#spool = this.#spool.filter(({ seq }) => seq > stored);
      return { left: this.#spool.length };
    } catch (error) {
      if (error instanceof StoreBudgetExceeded) return { left: this.#spool.length, refused: error };
      throw error;
    }
  }
}

const FAILURE = { code: 'X', cause: 'c', remedy: 'r' };
const LOST: EventBody = { type: 'agent.lost', sequence: 's', how: 'hung', pid: 1, failure: FAILURE };
const BIG: EventBody = { type: 'fact', name: 'n', value: '字'.repeat(900) };

it('lets a machine write as a bootstrap on its worst day does, then seldom, and stores all of it at last', async () => {
  const sender = new Sender();
  for (let i = 0; i < 30; i += 1) {
    sender.tell(LOST);
    expect((await sender.send()).refused).toBeUndefined();
  }
  // A minute of verdicts, twenty a second.
  let refused: StoreBudgetExceeded | undefined;
  for (let i = 0; i < 1_200; i += 1) {
    sender.now += 50;
    if (i % 10 === 0) sender.tell(LOST);
    refused = (await sender.send()).refused ?? refused;
  }
  expect(sender.store.writes).toBeLessThanOrEqual(30 + 13);
  expect(refused?.retryAfterMs).toBeGreaterThan(0);
  sender.now += 60_000;
  expect(await sender.send()).toEqual({ left: 0 });
  expect(sender.store.record.summary.events).toBe(30 + 120);
});

it('counts bytes as UTF-8, also those that a write moves besides its own', async () => {
  const sender = new Sender();
  // Five minutes of the largest events that there are: what the budget grows by is more than the play that it has.
  for (let i = 0; i < 300; i += 1) {
    sender.now += 1_000;
    for (let at = 0; at < 200; at += 1) sender.tell(BIG);
    await sender.send();
  }
  const MIB = 1024 * KIB;
  expect(sender.store.bytes).toBeGreaterThan(4 * MIB);
  expect(sender.store.bytes).toBeLessThan(4 * MIB + 300 * 8 * KIB + MIB);
});

it('stores of a batch what fits into one write, and the rest with the next', async () => {
  const sender = new Sender();
  for (let at = 0; at < 256; at += 1) sender.tell(BIG);
  const lefts: number[] = [];
  for (let i = 0; i < 4; i += 1) lefts.push((await sender.send()).left);
  expect(lefts[0]).toBeGreaterThan(150);
  expect(lefts).toEqual([...lefts].sort((a, b) => b - a));
  // What is less than a whole batch waits as it always did.
  expect(lefts.at(-1)).toBeLessThan(128);
  expect(sender.store.record.summary.lost).toBe(0);
});

it('counts what the API server spells out as it does', async () => {
  const sender = new Sender();
  for (let at = 0; at < 85; at += 1) sender.tell({ type: 'fact', name: 'n', value: '<'.repeat(2_800) });
  const { left } = await sender.send();
  // 17 kB each in etcd.
  expect(left).toBeGreaterThan(65);
  expect(left).toBeLessThan(75);
});

it('lets a machine that proved to be the one begin with nothing spent by who claimed to be it', async () => {
  const sender = new Sender();
  for (let i = 0; i < 40; i += 1) {
    sender.tell(LOST);
    await sender.send();
  }
  expect((await sender.send()).refused).toBeDefined();
  sender.store.record = {
    ...sender.store.record,
    spec: { ...sender.store.record.spec, keyDigest: 'proved' },
  };
  sender.forget();
  expect(await sender.send()).toEqual({ left: 0 });
});
