import type { KubeClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { undefinedOnStatus } from './kube-error.ts';
import type { KubeObject } from './objects.ts';

interface Lease extends KubeObject {
  spec: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number;
    acquireTime?: string | null;
    renewTime?: string | null;
    leaseTransitions?: number;
  };
}

interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique among the replicas. */
  readonly identity: string;
  /** Others take over after this time without a sign of life; default 15 s. */
  readonly durationMs?: number;
  /** Default 2 s. */
  readonly retryMs?: number;
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** Time limit of a request, unless something else ends it sooner. */
const REQUEST_MS = 5_000;

/**
 * Leader election with a Lease (coordination.k8s.io/v1), like client-go's. The holder renews it. Others watch
 * the record change *by their own clock*, so that different clocks do no harm. A holder that cannot renew
 * steps down before others may take over.
 */
export class Leadership {
  readonly #client: KubeClient;
  readonly #options: Required<LeaseOptions>;
  readonly #changed: (leads: boolean) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #leads = false;
  /** The record when it last changed, and that moment by the local clock. */
  #seen = { record: '', at: 0 };
  #renewedAt = 0;

  constructor(client: KubeClient, options: LeaseOptions, changed: (leads: boolean) => void) {
    this.#client = client;
    this.#options = {
      ...{ durationMs: 15_000, retryMs: 2_000, random: Math.random, clock: systemClock },
      ...options,
    };
    this.#changed = changed;
  }

  get leads(): boolean {
    return this.#leads;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Steps down and releases the Lease, so that another replica leads at once. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    if (!this.#leads) return;
    this.#become(false);
    try {
      const lease = await this.#get();
      if (lease?.spec.holderIdentity === this.#options.identity) {
        await this.#put({ ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } });
      }
    } catch {
      // Nobody answers: the others take over when the Lease expires.
      return;
    }
  }

  async #run(): Promise<void> {
    const { retryMs, random, clock } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = clock.now();
      try {
        const won = await this.#tryOnce(signal);
        if (won) this.#renewedAt = began;
        this.#become(won);
      } catch {
        // A conflict, or no answer: the holder continues only while nobody else can have taken over.
        if (this.#leads && this.#leftMs() <= 0) this.#become(false);
      }
      if (signal.aborted) return;
      const pauseMs = retryMs * (0.75 + 0.5 * random());
      await clock.pause(this.#leads ? Math.min(pauseMs, Math.max(0, this.#leftMs())) : pauseMs, signal);
    }
  }

  /** How long the holder may continue without a renewal. */
  #leftMs(): number {
    const { durationMs, clock } = this.#options;
    return this.#renewedAt + durationMs * (2 / 3) - clock.now();
  }

  #become(leads: boolean): void {
    if (leads === this.#leads) return;
    this.#leads = leads;
    this.#changed(leads);
  }

  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const { identity, durationMs } = this.#options;
    const lease = await this.#get(signal);
    const now = new Date().toISOString().replace('Z', '000Z');
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      renewTime: now,
    };
    if (!lease) return this.#create({ ...spec, acquireTime: now, leaseTransitions: 0 }, signal);
    const holder = lease.spec.holderIdentity ?? '';
    if (holder === identity) {
      await this.#put({ ...lease, spec: { ...lease.spec, ...spec } }, signal);
      return true;
    }
    if (holder !== '' && !this.#ranOut(lease)) return false;
    const transitions = (lease.spec.leaseTransitions ?? 0) + 1;
    const taken = { ...spec, acquireTime: now, leaseTransitions: transitions };
    await this.#put({ ...lease, spec: taken }, signal);
    return true;
  }

  #ranOut(lease: Lease): boolean {
    const record = JSON.stringify(lease.spec);
    const now = this.#options.clock.now();
    if (record !== this.#seen.record) {
      this.#seen = { record, at: now };
      return false;
    }
    return now - this.#seen.at > (lease.spec.leaseDurationSeconds ?? 15) * 1000;
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#options.namespace}/leases`;
  }

  #get(signal?: AbortSignal): Promise<Lease | undefined> {
    const path = `${this.#collection}/${this.#options.name}`;
    return undefinedOnStatus(this.#client.request<Lease>('GET', path, this.#bounds(signal)), 404);
  }

  async #create(spec: Lease['spec'], signal: AbortSignal): Promise<boolean> {
    const { name, namespace } = this.#options;
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    await this.#client.request('POST', this.#collection, { body, ...this.#bounds(signal) });
    return true;
  }

  /** Writes with the resource version that was read: of two writers, one gets a conflict. */
  async #put(lease: Lease, signal?: AbortSignal): Promise<void> {
    await this.#client.request('PUT', `${this.#collection}/${lease.metadata.name}`, {
      body: lease,
      ...this.#bounds(signal),
    });
  }

  /** The holder waits for no answer beyond the moment when others may take over. */
  #bounds(signal?: AbortSignal): { timeoutMs: number; signal?: AbortSignal } {
    const timeoutMs = this.#leads ? Math.max(1, Math.ceil(Math.min(REQUEST_MS, this.#leftMs()))) : REQUEST_MS;
    return { timeoutMs, ...(signal ? { signal } : {}) };
  }
}
