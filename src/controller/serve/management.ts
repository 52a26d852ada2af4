import { hostname } from 'node:os';
import { CapacityKeeper } from '../capacity/keeper.ts';
import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { KubeError } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { Alarms } from '../machines/alarms.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { EventRecorder } from '../machines/event-recorder.ts';
import {
  type Machine,
  type MachineObject,
  type MachineVersion,
  machinesPath,
  readMachine,
} from '../machines/machine.ts';
import { NodeKeys } from '../machines/node-keys.ts';
import { OrphanCollector } from '../machines/orphan-collector.ts';
import { Reconciler } from '../machines/reconciler.ts';
import { type NodeRecord, nodeKey, type WatchedNode, watchedNode } from '../model/node-record.ts';
import { PausedClusters } from '../moves/paused-clusters.ts';
import { VerdictKeeper } from '../moves/verdict-keeper.ts';
import { Pools } from '../pools/pools.ts';
import { AttestedConditions } from '../proofs/attested.ts';
import { InfrastructureWatch } from '../proofs/infrastructure-watch.ts';
import { PolicyWatch } from '../proofs/policy-watch.ts';
import { ManagedNamespaces } from '../reporting/managed-namespaces.ts';
import { UnreportedMachines } from '../reporting/unreported-machines.ts';
import { collectionPath, type NodeBootstrap, recordOf } from '../store/node-bootstrap.ts';
import type { Metrics } from '../web/metrics.ts';
import { Gauge } from '../web/registry.ts';

interface ManagementParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly untiedMs: number;
  /** False where a NodeBootstrap has no place for its verdict. */
  readonly keepsVerdicts: boolean;
  /** Keys of Machines' tokens that count; the first one signs. */
  readonly tokenKeys: () => readonly Uint8Array[];
  /** Called with each node that somebody has written. */
  readonly changed?: (record: NodeRecord) => void;
  /** Called with the key (`namespace/name`) of each node that is gone. */
  readonly gone?: (key: string) => void;
  /** Called with a key that is nobody's any more. */
  readonly hangUp?: (keyDigest: string) => void;
}

/** Follows Machines and NodeBootstraps, and if this replica leads, writes conditions. */
export class Management {
  readonly directory = new MachineDirectory(
    (contest) => this.alarms.contested(contest),
    (machine) => this.#paused.mayBeMoving(machine),
  );
  readonly keys = new NodeKeys();
  readonly alarms: Alarms;
  readonly attested: AttestedConditions;
  readonly pools: Pools;
  readonly unreported: UnreportedMachines;
  readonly #managed: ManagedNamespaces;
  readonly #paused: PausedClusters;
  readonly #verdicts: VerdictKeeper | undefined;
  readonly #hangUp: (keyDigest: string) => void;
  readonly #parts: Pick<ManagementParts, 'metrics' | 'log'>;
  readonly #reconciler: Reconciler;
  readonly #capacity: CapacityKeeper;
  readonly #collector: OrphanCollector;
  readonly #infrastructure: InfrastructureWatch;
  readonly #policies: PolicyWatch;
  readonly #machines: Informer<MachineObject>;
  readonly #nodes: Informer<NodeBootstrap>;
  readonly #listed = { machines: Promise.withResolvers<void>(), nodes: Promise.withResolvers<void>() };
  readonly #watched = new Map<string, WatchedNode>();
  #ready = false;

  constructor(parts: ManagementParts) {
    const { client, version, metrics, log, untiedMs, keepsVerdicts, changed, gone, hangUp } = parts;
    const { directory } = this;
    const recorder = new EventRecorder(client, hostname());
    this.#hangUp = hangUp ?? (() => {});
    this.#parts = parts;
    this.alarms = new Alarms({ recorder, byUid: (uid) => directory.byUid(uid), metrics, log });
    this.#paused = new PausedClusters(
      client,
      version,
      (key) => this.#resume(key),
      this.troubleOf('clusters'),
    );
    const isPaused = (machine: Machine): boolean => this.#paused.has(machine);
    const byUid = (uid: string): Machine | undefined => directory.byUid(uid);
    this.attested = new AttestedConditions({ client, version, byUid, isPaused, log });
    this.#managed = new ManagedNamespaces(
      client,
      (namespace) => this.unreported.lookAtAll(namespace),
      this.troubleOf('namespaces'),
    );
    this.unreported = new UnreportedMachines({
      ...{ client, version, directory, recorder, isPaused, log },
      isHeld: (uid) => this.keys.ofMachine(uid) !== undefined,
      isManagedNamespace: (namespace) => this.#managed.has(namespace),
    });
    if (keepsVerdicts) this.#verdicts = new VerdictKeeper({ client, keys: parts.tokenKeys, log });
    this.pools = new Pools({
      ...{ client, version, recorder, log },
      machine: (namespace, name) => directory.byName(namespace, name),
      trouble: this.troubleOf('machinepools'),
    });
    this.#policies = new PolicyWatch({
      ...{ client, book: directory.policies, log },
      trouble: this.troubleOf('nodeidentitypolicies'),
    });
    this.#reconciler = new Reconciler({ client, version, directory, isPaused, recorder, metrics, log });
    this.#capacity = new CapacityKeeper({
      ...{ client, version, log },
      machine: (namespace, name) => directory.byName(namespace, name),
    });
    this.#collector = new OrphanCollector({
      ...{ client, lifetimeMs: untiedMs, log },
      untied: () => this.#reconciler.untied(),
      living: () => this.pools.directory.living(),
    });
    this.#infrastructure = new InfrastructureWatch({
      ...{ client, directory, log },
      alarms: this.alarms,
      known: (machine) => this.#reconciler.machineChanged(machine),
    });
    this.#machines = new Informer<MachineObject>(client, machinesPath(version), {
      changed: (object) => {
        const machine = readMachine(object, version);
        directory.put(machine);
        directory.lookForContest(machine.endorsementKey);
        this.#infrastructure.machineChanged(machine);
        this.#reconciler.machineChanged(machine);
        this.#capacity.machineChanged(machine);
        this.pools.machineChanged(machine);
        this.attested.machineChanged(machine);
        this.unreported.machineChanged(machine);
      },
      gone: (key) => {
        const machine = directory.byName(...(key.split('/') as [string, string]));
        directory.remove(key);
        if (!machine) return;
        this.#infrastructure.machineGone(machine.uid);
        this.attested.machineGone(machine.uid);
        this.unreported.machineGone(machine);
        const holder = this.keys.ofMachine(machine.uid);
        if (holder !== undefined) this.#hangUp(holder);
      },
      listed: () => this.#listed.machines.resolve(),
      trouble: this.troubleOf('machines'),
    });
    // Pages of these are large, because each object holds its events.
    this.#nodes = new Informer<NodeBootstrap>(
      client,
      collectionPath(),
      {
        changed: (object) => {
          const record = recordOf(object);
          // The record itself is larger, and others keep what they need of it.
          this.#watched.set(nodeKey(record), watchedNode(record));
          changed?.(record);
          this.recordStored(record);
        },
        gone: (key) => {
          this.#watched.delete(key);
          gone?.(key);
          const uid = this.keys.machineOf(key);
          if (uid !== undefined) this.attested.nodeGone(uid);
          this.#release(this.keys.remove(key));
          this.#reconciler.nodeGone(key);
          this.#capacity.nodeGone(key);
          this.pools.nodeGone(key);
          this.#verdicts?.nodeGone(key);
          directory.forget(key);
        },
        listed: () => this.#listed.nodes.resolve(),
        trouble: this.troubleOf('nodebootstraps'),
      },
      { pageSize: 100 },
    );
    metrics.add(new Gauge('slipway_machines', 'Machines known.', () => [{ value: directory.size }]));
    metrics.add(
      new Gauge('slipway_nodes', 'NodeBootstraps known.', () => [{ value: this.#reconciler.size }]),
    );
    metrics.add(
      new Gauge('slipway_conditions_waiting', 'Conditions still to be looked at.', () => [
        { value: this.#reconciler.waiting },
      ]),
    );
  }

  /** Resolves when it knows all Machines and nodes. */
  async start(): Promise<void> {
    this.#managed.start();
    this.#machines.start();
    this.#nodes.start();
    this.#capacity.start();
    await Promise.all([
      this.#listed.machines.promise,
      this.#listed.nodes.promise,
      this.#policies.start(),
      this.pools.start(),
      this.#paused.start(),
    ]);
    this.#ready = true;
  }

  /** What is written of a node now may be left behind by a move, or come before what it told is put back after one. */
  isUnsettled(record: WatchedNode): boolean {
    return this.directory.isMoving(record.spec) || (this.#verdicts?.isToRestore(record) ?? false);
  }

  /** What to do where a watch ends by a fault. */
  troubleOf(collection: string): (error: Error, retryInMs: number) => void {
    const { metrics, log } = this.#parts;
    return (error, retryInMs) => {
      metrics.watchTroubles.add({ collection });
      // An API server without news may be silent too.
      const level = error instanceof KubeError && error.reason === 'Silent' ? 'debug' : 'warn';
      log[level]('a watch ended and begins again', { collection, reason: reason(error), retryInMs });
    };
  }

  get notReady(): string | undefined {
    return this.#ready ? undefined : 'Machines, MachinePools, NodeBootstraps and policies are not listed yet';
  }

  lead(leads: boolean): void {
    this.#reconciler.lead(leads);
    this.#capacity.lead(leads);
    this.pools.lead(leads);
    this.attested.lead(leads);
    this.#policies.lead(leads);
    this.#collector.lead(leads);
    this.#verdicts?.lead(leads);
    this.unreported.lead(leads);
  }

  recordStored(record: NodeRecord): void {
    this.#release(this.keys.put(record));
    this.directory.proved(record);
    this.directory.lookForContest(record.spec.enrolment.endorsementKey);
    this.#reconciler.nodeChanged(record);
    this.#capacity.nodeChanged(record);
    this.pools.nodeChanged(record);
    this.#verdicts?.nodeChanged(record);
    this.attested.nodeChanged(record);
    // Its certificate counts no longer, nor does what goes on over a connection that it opened before.
    if (record.spec.admission?.state === 'Quarantined') this.#hangUp(record.spec.keyDigest);
  }

  /** The node as the API server has it, as far as the watch has told. @param key `namespace/name` */
  watched(key: string): WatchedNode | undefined {
    return this.#watched.get(key);
  }

  /** What waited while the Cluster was paused. */
  #resume(cluster: string): void {
    for (const machine of this.directory.all()) {
      if (`${machine.namespace}/${machine.cluster}` !== cluster) continue;
      this.#reconciler.machineResumed(machine);
      this.attested.machineChanged(machine);
      this.unreported.machineChanged(machine);
    }
  }

  #release(keyDigest: string | undefined): void {
    if (keyDigest !== undefined) this.#hangUp(keyDigest);
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.#machines.stop(),
      this.#nodes.stop(),
      this.#policies.stop(),
      this.#managed.stop(),
      this.#paused.stop(),
    ]);
    await Promise.all([
      this.#reconciler.stop(),
      this.#collector.stop(),
      this.attested.stop(),
      this.#infrastructure.stop(),
      this.#capacity.stop(),
      this.pools.stop(),
      this.#verdicts?.stop(),
      this.unreported.stop(),
    ]);
  }
}
