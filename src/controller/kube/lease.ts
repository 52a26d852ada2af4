import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from './client.ts';
import { isStatus } from './kube-error.ts';
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

export interface LeaseOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique among replicas. */
  readonly identity: string;
  /** Others take over after this long without a sign of life; 15 s when absent. */
  readonly durationMs?: number;
  /** 2 s when absent. */
  readonly retryMs?: number;
  readonly random?: () => number;
}

/**
 * Leader election by a Lease (coordination.k8s.io/v1), as client-go does it: the holder renews; others watch the record
 * change *by their own clock*, so that clocks which differ do no harm; a holder that cannot renew steps down before
 * others may take over.
 */
export class Leadership {
  readonly #client: KubeClient;
  readonly #options: Required<LeaseOptions>;
  readonly #changed: (leads: boolean) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #leads = false;
  /** The record as it was last seen to change, and when by the local clock. */
  #seen = { record: '', at: 0 };
  #renewedAt = 0;

  constructor(client: KubeClient, options: LeaseOptions, changed: (leads: boolean) => void) {
    this.#client = client;
    this.#options = { durationMs: 15_000, retryMs: 2_000, random: Math.random, ...options };
    this.#changed = changed;
  }

  get leads(): boolean {
    return this.#leads;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Steps down and lets the Lease go, so that another replica leads at once. */
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
      // Nobody answers: the others take over when the Lease has run out.
      return;
    }
  }

  async #run(): Promise<void> {
    const { retryMs, durationMs, random } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const won = await this.#tryOnce();
        if (won) this.#renewedAt = began;
        this.#become(won);
      } catch {
        // A conflict or no answer: as holder, lead on only while nobody else can have taken over.
        if (this.#leads && performance.now() - this.#renewedAt > durationMs * (2 / 3)) this.#become(false);
      }
      await sleep(retryMs * (0.75 + 0.5 * random()), undefined, { signal }).catch(stopped);
    }
  }

  #become(leads: boolean): void {
    if (leads === this.#leads) return;
    this.#leads = leads;
    this.#changed(leads);
  }

  async #tryOnce(): Promise<boolean> {
    const { identity, durationMs } = this.#options;
    const lease = await this.#get();
    const now = new Date().toISOString().replace('Z', '000Z');
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      renewTime: now,
    };
    if (!lease) return this.#create({ ...spec, acquireTime: now, leaseTransitions: 0 });
    const holder = lease.spec.holderIdentity ?? '';
    if (holder === identity) {
      await this.#put({ ...lease, spec: { ...lease.spec, ...spec } });
      return true;
    }
    if (holder !== '' && !this.#ranOut(lease)) return false;
    const transitions = (lease.spec.leaseTransitions ?? 0) + 1;
    await this.#put({ ...lease, spec: { ...spec, acquireTime: now, leaseTransitions: transitions } });
    return true;
  }

  #ranOut(lease: Lease): boolean {
    const record = JSON.stringify(lease.spec);
    const now = performance.now();
    if (record !== this.#seen.record) {
      this.#seen = { record, at: now };
      return false;
    }
    return now - this.#seen.at > (lease.spec.leaseDurationSeconds ?? 15) * 1000;
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#options.namespace}/leases`;
  }

  async #get(): Promise<Lease | undefined> {
    try {
      return await this.#client.request<Lease>('GET', `${this.#collection}/${this.#options.name}`, {
        timeoutMs: 5_000,
      });
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async #create(spec: Lease['spec']): Promise<boolean> {
    const { name, namespace } = this.#options;
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    await this.#client.request('POST', this.#collection, { body, timeoutMs: 5_000 });
    return true;
  }

  /** With the resource version that was read: of two that write, one gets a conflict. */
  async #put(lease: Lease): Promise<void> {
    await this.#client.request('PUT', `${this.#collection}/${lease.metadata.name}`, {
      body: lease,
      timeoutMs: 5_000,
    });
  }
}

function stopped(): void {}
