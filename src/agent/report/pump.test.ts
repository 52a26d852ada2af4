import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { SlipwayEvent } from '../../protocol/events.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { createDraft } from './events/draft.ts';
import { Pump } from './pump.ts';
import { Spool } from './spool/spool.ts';
import { DeliveryError, type Transport } from './transports/transport.ts';

let folder: string;
let host: Host;
let spool: Spool;
let pumps: Pump[];
let log: string[];
/** How long the pumps asked to sleep; the sleep itself is a moment. */
let sleeps: number[];

beforeEach(async () => {
  folder = scratch();
  const real = createLinuxHost({ root: folder });
  sleeps = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms);
    return real.clock.sleep(Math.min(ms, 5), signal);
  };
  host = { ...real, random: () => 0, clock: { ...real.clock, sleep } };
  spool = await Spool.open(host, () => ({ instance: 'i', hostname: 'h' }));
  pumps = [];
  log = [];
});
afterEach(async () => {
  await Promise.all(pumps.map((pump) => pump.close()));
  await spool.close();
});

async function start(transport: Partial<Transport> & Pick<Transport, 'deliver'>): Promise<Pump> {
  const whole = { name: 'webhook' as const, reliable: true, batch: 3, ...transport };
  const pump = await Pump.open({
    host,
    spool,
    log: (line) => log.push(line),
    transport: whole,
    instance: 'i',
  });
  pumps.push(pump);
  pump.start();
  return pump;
}

async function tell(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await spool.add([
      await createDraft(host, {
        type: 'agent.lost',
        sequence: 's',
        how: 'hung',
        pid: 1,
        failure: { code: 'AgentHung', cause: 'c', remedy: 'r' },
      }),
    ]);
  }
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const seqs = (events: readonly SlipwayEvent[]) => events.map(({ seq }) => seq);

describe('a pump', () => {
  it('delivers in order and in batches, and goes on where the one before was', async () => {
    const got: number[][] = [];
    const deliver = async (events: readonly SlipwayEvent[]) => {
      got.push(seqs(events));
      return events.at(-1)?.seq ?? 0;
    };
    await tell(7);
    const pump = await start({ deliver });
    await until(() => pump.isDone);
    expect(got).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    await pump.close();
    await tell(1);
    const next = await start({ deliver });
    await until(() => next.isDone);
    expect(got.at(-1)).toEqual([8]);
    await next.close();
    expect(JSON.parse(readFileSync(join(folder, 'var/lib/slipway/report/webhook.cursor'), 'utf8'))).toEqual({
      seq: 8,
      instance: 'i',
    });
    const other = await Pump.open({
      host,
      spool,
      log: () => undefined,
      transport: next.transport,
      instance: 'another',
    });
    expect(other.delivered).toBe(0);
  });

  it('does not wait for another that hangs', async () => {
    const stuck = await start({
      name: 'otlp',
      deliver: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    });
    const free = await start({ name: 'console', deliver: async (events) => events.at(-1)?.seq ?? 0 });
    await tell(5);
    await until(() => free.isDone);
    expect(stuck.isDone).toBe(false);
  });

  it('waits longer after each failure, a minute at most, as long as the receiver wishes, and tells why', async () => {
    let failures = 0;
    const pump = await start({
      deliver: async (events) => {
        failures += 1;
        if (failures === 10) throw new DeliveryError('busy', 90_000);
        if (failures <= 12) throw new DeliveryError('no answer');
        return events.at(-1)?.seq ?? 0;
      },
    });
    await tell(1);
    await until(() => pump.isDone);
    const pauses = sleeps.filter((ms) => ms > 150);
    expect(pauses.slice(0, 9)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(pauses[9]).toBeGreaterThan(90_000);
    expect(Math.max(...pauses.slice(10))).toBe(60_000);
    expect(log).toContain('webhook: no answer; retrying');
    expect(log.at(-1)).toBe('webhook: works again');
  });

  it('takes what was delivered, when it was not all', async () => {
    const got: number[][] = [];
    const pump = await start({
      deliver: async (events) => {
        got.push(seqs(events));
        return events[0]?.seq ?? 0;
      },
    });
    await tell(3);
    await until(() => pump.isDone);
    expect(got.at(-1)).toEqual([3]);
    expect(new Set(got.map(([first]) => first))).toEqual(new Set([1, 2, 3]));
  });

  it('sends what a receiver has seen and not stored with what comes next, and else not in a storm', async () => {
    const got: { seqs: number[]; sleepsBefore: number }[] = [];
    let stored = 0;
    const pump = await start({
      deliver: async (events) => {
        got.push({ seqs: seqs(events), sleepsBefore: sleeps.length });
        return stored;
      },
    });
    await tell(1);
    await until(() => got.length > 3);
    for (const [index, { sleepsBefore }] of got.entries()) {
      const earlier = got[index - 1];
      if (earlier) expect(sleeps.slice(earlier.sleepsBefore, sleepsBefore)).toContain(15_000);
    }
    stored = 2;
    await tell(1);
    await until(() => pump.isDone);
    expect(got.at(-1)?.seqs).toEqual([1, 2]);
  });

  it('ends what is under way when it is closed', async () => {
    let [begun, ended] = [false, false];
    const pump = await start({
      deliver: (_, signal) =>
        new Promise((_resolve, reject) => {
          begun = true;
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new Error('aborted'));
          });
        }),
    });
    await tell(1);
    await until(() => begun);
    await pump.close();
    expect(ended).toBe(true);
    expect(log).toEqual([]);
  });

  it('tells a console nothing of an earlier boot, and a controller all that it has not got', async () => {
    const draft = await createDraft(host, { type: 'fact', name: 'n', value: 'v' });
    await spool.add([{ ...draft, boot: 'an earlier one' }]);
    await spool.add([draft]);
    const told: Record<string, number[]> = { console: [], controller: [] };
    for (const [name, reliable] of [
      ['console', false],
      ['controller', true],
    ] as const)
      await start({
        ...{ name, reliable },
        deliver: async (events) => {
          told[name]?.push(...events.map(({ seq }) => seq));
          return events.at(-1)?.seq ?? 0;
        },
      });
    await expect.poll(() => told).toEqual({ console: [2], controller: [1, 2] });
  });
});
