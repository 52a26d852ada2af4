import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bootstrapEvents } from '../../../test/support/controller/simulated-machine.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import type { KubeClient } from '../kube/client.ts';
import { createLog } from '../log.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { fold, newSummary } from '../model/summary.ts';
import { Metrics } from '../web/metrics.ts';
import { MachineDirectory } from './directory.ts';
import { EventRecorder } from './event-recorder.ts';
import { CONDITION, type Condition, type MachineObject, readMachine } from './machine.ts';
import { Reconciler } from './reconciler.ts';

// Minutes are waited for here, so the clock is the test's own, and the API server a Machine that is written to; the case
// `controller` has the real one.
beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;

/** A Machine and the controller that leads; `meddle` is somebody else who writes the condition. */
class World {
  readonly written: string[] = [];
  readonly object: MachineObject = {
    metadata: { namespace: 'ns', name: 'm', uid: 'u' },
    spec: {},
    status: { conditions: [] },
  };
  readonly directory = new MachineDirectory();
  reconciler = this.#controller();

  #controller(): Reconciler {
    const request = async (_: string, path: string, { body }: { body: MachineObject }): Promise<void> => {
      if (!path.endsWith('/status')) return;
      const [condition] = body.status?.conditions ?? [];
      if (condition) this.written.push(condition.reason);
      if (condition) this.meddle(condition);
    };
    const client = { request } as unknown as KubeClient;
    const parts = { client, directory: this.directory, metrics: new Metrics(), log: createLog(() => {}) };
    const recorder = new EventRecorder(client, 'test');
    return new Reconciler({ ...parts, version: 'v1beta2', recorder, isPaused: () => this.isPaused });
  }

  isPaused = false;

  meddle(condition: Condition): void {
    if (this.object.status) this.object.status.conditions = [condition];
    const machine = readMachine(this.object, 'v1beta2');
    this.directory.put(machine);
    this.reconciler.machineChanged(machine);
  }

  async start(): Promise<void> {
    this.directory.put(readMachine(this.object, 'v1beta2'));
    this.reconciler.lead(true);
    await vi.advanceTimersByTimeAsync(1);
  }

  /** Another controller takes over, which knows what is stored. */
  async takeOver(record: NodeRecord): Promise<void> {
    this.reconciler.lead(false);
    this.reconciler = this.#controller();
    this.reconciler.nodeChanged(record);
    await this.start();
  }

  async tell(record: NodeRecord): Promise<void> {
    this.reconciler.nodeChanged(record);
    await vi.advanceTimersByTimeAsync(1);
  }

  get says(): string | undefined {
    return this.object.status?.conditions?.[0]?.reason;
  }
}

function recordOf(count: number): NodeRecord {
  const common = { v: 1 as const, machine: { instance: 'i', hostname: 'h' }, boot: 'b', traceparent: '' };
  const time = '2026-01-01T00:00:00Z';
  const events = bootstrapEvents(20, true).slice(0, count);
  const read = events.map((body, at): ReadEvent => ({ ...common, ...body, time, seq: at + 1, mono: at }));
  return {
    ...{ namespace: 'ns', name: 'm', epoch: 0, seq: count, summary: read.reduce(fold, newSummary()) },
    ...{ storedAt: Date.now(), writes: 1 },
    spec: {
      ...{ instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'token', at: 'now' } },
      machine: { name: 'm', uid: 'u', by: 'name' },
    },
  };
}

it('calls a machine silent after ten minutes, says so once, and takes it back', async () => {
  const world = new World();
  await world.start();
  const running = recordOf(3);
  await world.tell(running);
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  expect(world.says).toBe('Running');
  await vi.advanceTimersByTimeAsync(7 * MINUTE);
  expect(world.says).toBe('Silent');
  const writes = world.written.length;
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  expect(world.written.length).toBe(writes);
  await world.takeOver(running);
  await vi.advanceTimersByTimeAsync(1 * MINUTE);
  expect([world.says, world.written.length]).toEqual(['Silent', writes]);
  await world.tell(recordOf(4));
  expect(world.says).toBe('Running');
  await world.reconciler.stop();
});

it('counts from its own start where another controller has not called the machine silent', async () => {
  const world = new World();
  await world.start();
  const running = recordOf(3);
  await world.tell(running);
  // Its clock is an hour ahead of the one that stored.
  vi.setSystemTime(Date.now() + 60 * MINUTE);
  await world.takeOver(running);
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  expect(world.says).toBe('Running');
  await world.reconciler.stop();
});

it('puts right what somebody else wrote, each time after twice as long', async () => {
  const world = new World();
  await world.start();
  await world.tell(recordOf(20));
  expect(world.says).toBe('ApiServerUnreachable');
  const waits: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    world.meddle({ type: CONDITION, status: 'True', reason: 'Meddled', message: 'No.' });
    const began = Date.now();
    while (world.says === 'Meddled') await vi.advanceTimersByTimeAsync(1_000);
    waits.push(Math.round((Date.now() - began) / 1000));
  }
  expect(waits).toEqual([5, 10, 20, 40, 80]);
  // What it says by itself is said at once.
  world.meddle({ type: CONDITION, status: 'True', reason: 'Meddled', message: 'No.' });
  await world.tell({ ...recordOf(20), summary: recordOf(3).summary, seq: 21 });
  expect(world.says).toBe('Running');
  await world.reconciler.stop();
});

it('leaves the words of another controller that means the same', async () => {
  const world = new World();
  await world.start();
  await world.tell(recordOf(3));
  const writes = world.written.length;
  for (let i = 0; i < 60; i += 1) {
    world.meddle({ type: CONDITION, status: 'Unknown', reason: 'Running', message: `It runs for ${i} s.` });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(world.written.length).toBe(writes);
  await world.reconciler.stop();
});

it('lets a claim of before say nothing of a Machine that wants a proof since', async () => {
  const world = new World();
  await world.start();
  await world.tell(recordOf(3));
  const before = world.written.length;
  Object.assign(world.object.metadata, { labels: { 'slipway.dev/machine-token': '' } });
  const machine = readMachine(world.object, 'v1beta2');
  world.directory.put(machine);
  world.reconciler.machineChanged(machine);
  await world.tell(recordOf(20));
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect([world.says, world.written.length]).toEqual(['Running', before]);
  await world.reconciler.stop();
});

it('damps a machine that changes its verdict all the time, and says the latest in the end', async () => {
  const world = new World();
  await world.start();
  const [runs, failed] = [recordOf(3), recordOf(20)];
  const flips = async (count: number, pauseMs: number): Promise<number> => {
    const before = world.written.length;
    for (let i = 0; i < count; i += 1) {
      const { summary } = i % 2 === 0 ? failed : runs;
      seq += 1;
      await world.tell({ ...failed, summary, seq });
      await vi.advanceTimersByTimeAsync(pauseMs);
    }
    return world.written.length - before;
  };
  let seq = 20;
  await world.tell(runs);
  // An agent that dies and comes back three times.
  expect(await flips(6, 5_000)).toBe(6);
  expect(await flips(250, 200)).toBe(0);
  // Two hours of it, every second.
  expect(await flips(7_200, 1_000)).toBeLessThanOrEqual(10);
  // Another code each time is another verdict too.
  const codes = world.written.length;
  for (let i = 0; i < 300; i += 1) {
    seq += 1;
    const failure = { code: `Code${i}`, cause: 'c', remedy: 'r' };
    await world.tell({ ...failed, summary: { ...failed.summary, failure }, seq });
  }
  expect(world.written.length - codes).toBeLessThanOrEqual(1);
  await world.tell({ ...failed, seq: seq + 1 });
  await vi.advanceTimersByTimeAsync(31 * MINUTE);
  expect(world.says).toBe('ApiServerUnreachable');
  await world.reconciler.stop();
});

it('tells a Machine whose Node has another provider ID, whichever of them comes later', async () => {
  const world = new World();
  await world.start();
  const { summary, ...record } = recordOf(3);
  const node = { name: 'n1', state: 'ready' };
  const done = (providerID?: string, seq = 30) => ({
    ...{ ...record, seq },
    summary: {
      ...summary,
      phase: 'Succeeded' as const,
      node: { ...node, ...(providerID ? { providerID } : {}) },
    },
  });
  const change = async (providerID: string | undefined): Promise<void> => {
    world.object.spec = providerID === undefined ? {} : { providerID };
    const machine = readMachine(world.object, 'v1beta2');
    world.directory.put(machine);
    world.reconciler.machineChanged(machine);
    await vi.advanceTimersByTimeAsync(MINUTE);
  };
  const said = () => {
    const { status, reason } = world.object.status?.conditions?.[0] ?? {};
    return `${status} ${reason}`;
  };
  // An empty one is no mismatch, on neither side.
  await change('aws:///eu/i-2');
  await world.tell(done());
  expect(said()).toBe('True Bootstrapped');
  await change(undefined);
  await world.tell(done('aws:///eu/i-1', 31));
  await change(undefined);
  expect(said()).toBe('True Bootstrapped');
  await change('aws:///eu/i-1');
  expect(said()).toBe('True Bootstrapped');
  await change('aws:///eu/i-2');
  expect(said()).toBe('True ProviderIdMismatch');
  expect(world.object.status?.conditions?.[0]?.message).toMatch(
    /^The machine bootstrapped.* Its Node "n1" has the provider ID "aws:\/\/\/eu\/i-1", and this Machine has "aws:\/\/\/eu\/i-2": Cluster API finds no Node for it\. Compare /,
  );
  await change('aws:///eu/i-1');
  expect(said()).toBe('True Bootstrapped');
  await world.reconciler.stop();
});
