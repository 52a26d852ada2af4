import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bootstrapEvents } from '../../../test/support/controller/simulated-machine.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import type { KubeClient } from '../kube/client.ts';
import { createLog } from '../log.ts';
import { EventRecorder } from '../machines/event-recorder.ts';
import { type Condition, type MachineVersion, readMachine } from '../machines/machine.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { fold, newSummary } from '../model/summary.ts';
import { type PoolObject, readPool } from './pool.ts';
import { PoolDirectory } from './pool-directory.ts';
import { PoolReconciler } from './pool-reconciler.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

/** A pool at an API server that takes what is written, and the controller that leads. */
class World {
  readonly written: Condition[] = [];
  readonly events: { reason: string; kind: string; message: string }[] = [];
  readonly paths: string[] = [];
  readonly machines = new Map<string, ReturnType<typeof readMachine>>();
  readonly directory = new PoolDirectory();
  readonly object: PoolObject = {
    metadata: { namespace: 'ns', name: 'workers', uid: 'u' },
    spec: { clusterName: 'demo', replicas: 3 },
    status: {},
  };
  reconciler: PoolReconciler;

  readonly version: MachineVersion;

  constructor(version: MachineVersion = 'v1beta2') {
    this.version = version;
    this.reconciler = this.#controller();
    this.changed();
    this.reconciler.lead(true);
  }

  #controller(): PoolReconciler {
    // biome-ignore lint/suspicious/noExplicitAny: bodies of several kinds
    const request = async (_: string, path: string, { body, query }: any): Promise<void> => {
      if (path.endsWith('/events'))
        this.events.push({ ...body, kind: body.involvedObject.kind, reason: body.reason });
      if (!path.endsWith('/status')) return;
      expect(query).toEqual({ fieldManager: 'slipway-controller-pool', force: true });
      expect(body).toMatchObject({ kind: 'MachinePool', metadata: { name: 'workers', uid: 'u' } });
      this.paths.push(path);
      const { conditions = body.status.v1beta2?.conditions } = body.status;
      this.written.push(...conditions);
      this.object.status = body.status;
      this.changed();
    };
    const client = { request } as unknown as KubeClient;
    return new PoolReconciler({
      ...{ client, version: this.version, directory: this.directory, log: createLog(() => {}) },
      recorder: new EventRecorder(client, 'test'),
      machine: (namespace, name) => this.machines.get(`${namespace}/${name}`),
    });
  }

  /** The watch tells of the pool. */
  changed(): void {
    this.directory.put(readPool(this.object, this.version));
    this.reconciler.poolChanged('ns/MachinePool/workers');
  }

  async takeOver(records: readonly NodeRecord[]): Promise<void> {
    this.reconciler.lead(false);
    this.reconciler = this.#controller();
    for (const record of records) this.reconciler.nodeChanged(record);
    this.reconciler.lead(true);
    await vi.advanceTimersByTimeAsync(2_000);
  }

  async tell(record: NodeRecord): Promise<void> {
    this.reconciler.nodeChanged(record);
    await vi.advanceTimersByTimeAsync(2_000);
  }

  get says(): string | undefined {
    const last = this.written.at(-1);
    return last && `${last.status} ${last.reason}: ${last.message}`;
  }
}

interface Told {
  failed?: boolean;
  /** Of its 20 events; default: all. */
  count?: number;
  machine?: string;
  providerID?: string;
  owner?: string;
}

function record(name: string, { failed = false, count = 20, machine, ...more }: Told = {}): NodeRecord {
  const common = { v: 1 as const, machine: { instance: 'i', hostname: 'h' }, boot: 'b', traceparent: '' };
  const time = '2026-01-01T00:00:00Z';
  const events = bootstrapEvents(20, failed).slice(0, count);
  const read = events.map((body, at): ReadEvent => ({ ...common, ...body, time, seq: at + 1, mono: at }));
  const selector = { owner: more.owner ?? 'MachinePool/workers' };
  return {
    ...{ namespace: 'ns', name, epoch: 1, seq: count, storedAt: Date.now(), writes: 1 },
    summary: read.reduce(fold, newSummary()),
    spec: {
      ...{ instance: 'i', hostname: 'h', keyDigest: name },
      ...(more.providerID === undefined ? {} : { providerID: more.providerID }),
      enrolment: {
        ...{ method: 'pool-token', at: new Date(START).toISOString() },
        ...(machine === undefined ? { selector } : {}),
      },
      ...(machine === undefined ? {} : { machine: { name: machine, uid: `uid-${machine}`, by: 'token' } }),
    },
  };
}

function machineOf(name: string, more: object = {}): ReturnType<typeof readMachine> {
  const labels = { 'cluster.x-k8s.io/pool-name': 'workers' };
  const metadata = { namespace: 'ns', name, uid: `uid-${name}`, labels, ...more };
  return readMachine({ metadata, spec: {} }, 'v1beta2');
}

describe('PoolReconciler', () => {
  it.each(['v1beta2', 'v1beta1'] as const)(
    'sums up on the pool what its machines tell (%s)',
    async (version) => {
      const world = new World(version);
      await world.tell(record('a', { count: 3 }));
      expect(world.says).toBe('Unknown Running: 1 of 1 machine still to bootstrap: a (Running).');
      await world.tell(record('a'));
      expect(world.says).toBe('True Bootstrapped: 1 machine bootstrapped.');
      await world.tell(record('b', { failed: true }));
      expect(world.says).toMatch(
        /^False ApiServerUnreachable: 1 of 2 machines failed to bootstrap: b\. The latest, b: /,
      );
      expect(world.events).toMatchObject([{ kind: 'MachinePool', reason: 'ApiServerUnreachable' }]);
      expect(world.paths[0]).toBe(
        `/apis/cluster.x-k8s.io/${version}/namespaces/ns/machinepools/workers/status`,
      );
      // It was replaced by the provider, or removed by people.
      world.reconciler.nodeGone('ns/b');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(world.says).toBe('True Bootstrapped: 1 machine bootstrapped.');
      world.reconciler.nodeGone('ns/a');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(world.says).toMatch(/^Unknown Waiting: No machine/);
    },
  );

  it('counts the Machines that the infrastructure of the pool made, whichever is known first', async () => {
    const world = new World();
    world.reconciler.nodeChanged(record('m1', { machine: 'm1', failed: true }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.written).toEqual([]);
    world.machines.set('ns/m1', machineOf('m1'));
    world.reconciler.machineChanged(machineOf('m1'));
    await world.tell(record('a'));
    expect(world.says).toMatch(/^False ApiServerUnreachable: 1 of 2 machines failed to bootstrap: m1\./);
    // A Machine of somebody else, and a node of another pool.
    world.machines.set('ns/m2', machineOf('m2', { labels: {} }));
    await world.tell(record('m2', { machine: 'm2', failed: true }));
    await world.tell(record('x', { owner: 'MachinePool/others', failed: true }));
    expect(world.says).toMatch(/^False ApiServerUnreachable: 1 of 2 machines/);
    // It is being replaced.
    const deleting = machineOf('m1', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    world.machines.set('ns/m1', deleting);
    world.reconciler.machineChanged(deleting);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.says).toBe('True Bootstrapped: 1 machine bootstrapped.');
  });

  it('does not count machines that the provider has replaced, or that were shut out', async () => {
    const world = new World();
    world.object.spec = { ...world.object.spec, providerIDList: ['demo:///b'] };
    world.changed();
    await world.tell(record('a', { failed: true, providerID: 'demo:///a' }));
    await world.tell(record('b', { providerID: 'demo:///b' }));
    expect(world.says).toMatch(/^False .* 1 of 2/);
    // The provider may take minutes until it names an instance.
    await vi.advanceTimersByTimeAsync(16 * MINUTE);
    world.changed();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.says).toMatch(/^True Bootstrapped: 1 machine/);
    const bad = record('c', { failed: true });
    await world.tell({
      ...bad,
      spec: { ...bad.spec, admission: { state: 'Quarantined', at: '2026-01-01T00:00:00Z' } },
    });
    expect(world.says).toMatch(/^True Bootstrapped: 1 machine/);
  });

  it('says when nothing was heard for ten minutes', async () => {
    const world = new World();
    await world.tell(record('a', { count: 3 }));
    await vi.advanceTimersByTimeAsync(16 * MINUTE);
    expect(world.says).toBe('Unknown Silent: 1 of 1 machine still to bootstrap: a (Silent).');
    await world.tell(record('a', { count: 4 }));
    expect(world.says).toMatch(/a \(Running\)/);
  });

  it('puts right what somebody else writes, and tells nothing twice after a change of leaders', async () => {
    const world = new World();
    const records = [record('a', { failed: true }), record('b')];
    for (const one of records) await world.tell(one);
    const before = world.written.length;
    await world.takeOver(records);
    expect(world.written).toHaveLength(before);
    world.object.status = { conditions: [{ ...(world.written.at(-1) as Condition), status: 'True' }] };
    world.changed();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.object.status?.conditions?.[0]?.status).toBe('False');
  });

  it('is written seldom by machines that change their minds all the time', async () => {
    const world = new World();
    for (let count = 0; count < 600; count += 1)
      await world.tell({ ...record('a', { failed: count % 2 === 0 }), seq: 20 + count });
    // Twenty minutes of it.
    expect(world.written.length).toBeLessThan(20);
    await vi.advanceTimersByTimeAsync(6 * MINUTE);
    expect(world.says).toMatch(/^True/);
  });

  it('writes nothing while it does not lead', async () => {
    const world = new World();
    world.reconciler.lead(false);
    await world.tell(record('a', { failed: true }));
    expect(world.written).toEqual([]);
  });
});

it("of those that claim a Node that the pool names, the first and the last machine's nodes live", () => {
  const directory = new PoolDirectory();
  const metadata = { namespace: 'ns', name: 'workers', uid: 'u' };
  directory.put(readPool({ metadata, status: { nodeRefs: [{ name: 'node-1' }] } }, 'v1beta2'));
  const claims = (name: string, day: number, node: string | undefined): void => {
    const made = record(name);
    const at = `2026-01-0${day}T00:00:00Z`;
    directory.nodeChanged({
      ...made,
      spec: { ...made.spec, enrolment: { ...made.spec.enrolment, at } },
      summary: { ...made.summary, ...(node === undefined ? {} : { node: { name: node, state: 'ready' } }) },
    });
  };
  claims('second', 2, 'node-1');
  claims('first', 1, 'node-1');
  claims('third', 3, 'node-1');
  claims('other', 1, 'node-2');
  claims('silent', 1, undefined);
  expect([...directory.living()].sort()).toEqual(['ns/first', 'ns/third']);
});
