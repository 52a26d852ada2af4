import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Rates } from '../../kit/rates.ts';
import type { EventBody, ReadEvent } from '../../protocol/events.ts';
import type { ReadBatch } from '../../protocol/exchange.ts';
import type { CertificateChecker } from '../attest/certificate-checker.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { fold, newSummary } from '../model/summary.ts';
import type { Addition, Store } from '../store/store.ts';
import { Metrics } from '../web/metrics.ts';
import { EventIntake, toAddition } from './intake.ts';
import { writeUrgency } from './write-urgency.ts';

function event(
  seq: number,
  boot = 'b',
  body: EventBody = { type: 'fact', name: 'n', value: 'v' },
): ReadEvent {
  return {
    v: 1,
    machine: { instance: 'i', hostname: 'h' },
    ...{
      boot,
      seq,
      time: '2026-01-01T00:00:00Z',
      mono: seq,
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
    ...body,
  };
}

const empty: NodeRecord = {
  ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
  spec: { instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'token', at: 'now' } },
};

function apply(record: NodeRecord, events: readonly ReadEvent[]): NodeRecord {
  const { epoch, events: fresh, summary } = toAddition(record, events);
  return { ...record, epoch, summary, seq: fresh.at(-1)?.seq ?? record.seq, writes: record.writes + 1 };
}

describe('toAddition', () => {
  it('takes each event once, however batches overlap and repeat', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }))),
        (ranges) => {
          let record = empty;
          const taken: number[] = [];
          for (const [from, length] of ranges) {
            // A reporter never leaves out what is not acknowledged.
            const start = Math.min(from, record.seq + 1);
            const batch = Array.from({ length }, (_, i) => event(start + i));
            taken.push(...toAddition(record, batch).events.map(({ seq }) => seq));
            record = apply(record, batch);
          }
          expect(taken).toEqual(taken.map((_, i) => i + 1));
          expect(record.summary.lost).toBe(0);
        },
      ),
    );
  });

  it('tells a lost spool from a repetition by the boot', () => {
    const record = apply(empty, [event(1), event(2), event(3)]);
    expect(toAddition(record, [event(2), event(3)]).events).toEqual([]);
    const anew = toAddition(record, [event(1, 'b2'), event(2, 'b2')]);
    expect([anew.epoch, anew.events.length]).toEqual([1, 2]);
    // The same counter in a new boot is no new beginning.
    expect(toAddition(record, [event(4, 'b2')]).epoch).toBe(0);
  });

  it('counts numbers that never came', () => {
    expect(toAddition(empty, [event(3), event(7)]).summary.lost).toBe(5);
  });
});

it('has a node read for the same certificate only so often, whoever else shows one for it', async () => {
  let reads = 0;
  const admit = async () => {
    reads += 1;
    return empty;
  };
  const bearers = { isCurrent: () => false, admit } as unknown as CertificateChecker;
  const store = { thrifty: true } as unknown as Store;
  const intake = new EventIntake(store, bearers, new Metrics());
  const take = (serial: string) =>
    intake.take({ namespace: 'ns', name: 'n', binding: serial, serial, madeAt: 0 }, {
      machine: { instance: 'i', hostname: 'h' },
      events: [],
    } as unknown as ReadBatch);
  const asked = Array.from({ length: 500 }, () => take('old'));
  const done = await Promise.allSettled(asked);
  expect(done.at(-1)).toMatchObject({ reason: { code: 'slow-down' } });
  expect(reads).toBeGreaterThanOrEqual(20);
  expect(reads).toBeLessThan(500);
  await expect(take('of now')).resolves.toMatchObject({ stored: 0 });
});

describe('a record that was made anew or put back', () => {
  const batch = { machine: empty.spec, events: [event(1), event(2)] } as unknown as ReadBatch;
  const peer = { namespace: 'ns', name: 'n', binding: 'd', serial: 's', madeAt: 0 };

  afterEach(() => vi.restoreAllMocks());

  /** Two events are stored, and at hand. */
  async function scene() {
    let stored: NodeRecord = empty;
    const store = {
      thrifty: false,
      append: async (record: NodeRecord, { epoch, summary, events }: Addition) => {
        stored = { ...record, epoch, summary, seq: events.at(-1)?.seq ?? record.seq };
        return stored;
      },
    } as unknown as Store;
    const bearers = { isCurrent: () => true, admit: async () => stored } as unknown as CertificateChecker;
    const intake = new EventIntake(store, bearers, new Metrics());
    expect(await intake.take(peer, batch)).toMatchObject({ stored: 2, fresh: 2 });
    expect(await intake.take(peer, batch)).toMatchObject({ stored: 2, fresh: 0 });
    const putBack = () => {
      stored = empty;
    };
    return { intake, putBack };
  }

  it('gets what was acknowledged before, once the watch says that it was gone', async () => {
    const { intake, putBack } = await scene();
    putBack();
    intake.forget('ns/n');
    expect(await intake.take(peer, batch)).toMatchObject({ stored: 2, fresh: 2 });
  });

  it('gets it, too, where only an earlier state comes back; a watch that lags is no such thing', async () => {
    const { intake, putBack } = await scene();
    putBack();
    intake.changed(empty);
    expect(await intake.take(peer, batch)).toMatchObject({ stored: 2, fresh: 0 });
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 31_000);
    intake.changed(empty);
    expect(await intake.take(peer, batch)).toMatchObject({ stored: 2, fresh: 2 });
  });
});

describe('facts', () => {
  const factsAfter = (...facts: [string, string][]) =>
    apply(
      empty,
      facts.map(([name, value], at) => event(at + 1, 'b', { type: 'fact', name, value })),
    ).summary.facts;

  it('are bounded and have plain names; what is empty is none', () => {
    const many = Array.from({ length: 90 }, (_, at): [string, string] => [`f${at}`, 'x'.repeat(3000)]);
    const kept = Object.entries(factsAfter(...many) ?? {});
    expect(kept).toHaveLength(48);
    expect(kept.every(([, value]) => value.length === 256)).toBe(true);
    expect(factsAfter(['__proto__', 'x'], ['a b', 'x'], ['serial', ''], ['gpus', 'one'])).toEqual({
      gpus: 'one',
    });
  });

  it('that are lists are whole or not there', () => {
    const list = `a=${'x'.repeat(900)}`;
    expect(factsAfter(['capacity-labels', list], ['capacity-taints', 'x'.repeat(1001)])).toEqual({
      'capacity-labels': list,
    });
  });
});

describe('writeUrgency', () => {
  const started: EventBody = {
    type: 'sequence.started',
    sequence: 's',
    mode: 'bootstrap',
    steps: [],
    resumed: false,
  };
  const due = (record: NodeRecord, now: number, ...bodies: EventBody[]): string => {
    const events = bodies.map((body, i) => event(record.seq + 1 + i, 'b', body));
    return writeUrgency(record, events, events.reduce(fold, record.summary), now);
  };
  const running: NodeRecord = {
    ...empty,
    summary: fold(newSummary(), event(1, 'b', started)),
    seq: 1,
    writes: 1,
  };

  it('lets what can wait wait, longer each time', () => {
    const fact: EventBody = { type: 'fact', name: 'kernel', value: '6.1.0' };
    expect(due(empty, 19_999, fact)).toBe('later');
    expect(due(empty, 20_000, fact)).toBe('if-idle');
    expect(due(empty, 0, fact, started)).toBe('if-idle');
    expect(due(apply(empty, [event(1, 'b', fact)]), 0, started)).toBe('if-idle');
    const heartbeat: EventBody = { type: 'heartbeat', sequence: 's' };
    expect(due(running, 59_999, heartbeat)).toBe('later');
    expect(due(running, 60_000, heartbeat)).toBe('if-idle');
    expect(due({ ...running, writes: 9 }, 119_999, heartbeat)).toBe('later');
    expect(due({ ...running, writes: 9 }, 120_000, heartbeat)).toBe('if-idle');
  });

  it('never lets a verdict wait, nor what takes it back', () => {
    const failure = { code: 'X', cause: 'c', remedy: 'r' };
    const ended: EventBody = {
      type: 'sequence.ended',
      sequence: 's',
      mode: 'bootstrap',
      result: 'succeeded',
      exitStatus: 0,
      ms: 1,
    };
    const lost: EventBody = { type: 'agent.lost', sequence: 's', how: 'hung', pid: 1, failure };
    for (const body of [ended, lost, { type: 'node.reset' } as const])
      expect(due(running, 1, body)).toBe('now');
    const gone = apply(running, [event(2, 'b', lost)]);
    expect(due(gone, 1, { ...started, resumed: true })).toBe('now');
    const over = apply(running, [event(2, 'b', ended)]);
    expect(due(over, 1, { type: 'node.observed', node: 'n', state: 'registered' })).toBe('later');
    expect(due(over, 1, { type: 'node.observed', node: 'n', state: 'ready' })).toBe('now');
  });
});

describe('Rates', () => {
  it('gives a burst, then so many a second, to each name', () => {
    let now = 0;
    const rates = new Rates({ perSecond: 10, burst: 3 }, () => now);
    expect([1, 2, 3].map(() => rates.take('a'))).toEqual([0, 0, 0]);
    expect(rates.take('a')).toBe(100);
    expect(rates.take('b')).toBe(0);
    now = 100;
    expect(rates.take('a')).toBe(0);
    expect(rates.take('a')).toBe(100);
  });
});
