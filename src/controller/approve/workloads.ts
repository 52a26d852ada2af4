import { createHash } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import type { Access } from '../kube/access.ts';
import { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import { type Allowed, readTenantKubeconfig } from '../kube/kubeconfig.ts';
import { reason } from '../log.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { Approver, type ApproverParts } from './approver.ts';
import { warnOfOtherApprovers } from './other-approvers.ts';
import { rateLimitedLog } from './rate-limited-log.ts';

interface WorkloadsParts extends Omit<ApproverParts, 'client' | 'cluster' | 'trouble'> {
  /** The client of the cluster that has the Machines. */
  readonly home: KubeClient;
  /** The Secret with a Cluster's kubeconfig is called as the Cluster, and this. */
  readonly suffix: string;
  /** What an operator allows these kubeconfigs. */
  readonly allowed: Allowed;
  /** Makes a client; tests have their own. */
  readonly connect?: (access: Access) => KubeClient;
}

/** How often a Secret is read again: its certificate is renewed before it expires. */
const LOOK_MS = 5 * 60_000;

const KEY = /^[a-z0-9-]+\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

interface Workload {
  readonly approver: Approver;
  /** Digest of the kubeconfig. */
  readonly from: string;
}

/** Approves in every cluster that has Machines, as the kubeconfigs say that Cluster API or an administrator put beside them. */
export class Workloads {
  readonly #parts: WorkloadsParts;
  readonly #running = new Map<string, Workload>();
  readonly #wanted = new Set<string>();
  /** Kubeconfigs that cannot be used, by cluster: reading the same one again would only take time. */
  readonly #refused = new Map<string, { readonly from: string; readonly error: Error }>();
  readonly #queue: WorkQueue;

  constructor(parts: WorkloadsParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((cluster) => this.#look(cluster), {
      parallel: 4,
      failed: (cluster, error, retryInMs) =>
        parts.log.warn("a cluster's kubeconfig cannot be used", {
          ...{ cluster, reason: reason(error), retryInMs },
        }),
    });
  }

  get clusters(): number {
    return this.#running.size;
  }

  get waiting(): number {
    let waiting = 0;
    for (const { approver } of this.#running.values()) waiting += approver.waiting;
    return waiting;
  }

  /** @param cluster `namespace/name`, which has Machines */
  want(cluster: string): void {
    // What a Machine calls its Cluster becomes part of a path.
    if (this.#wanted.has(cluster) || !KEY.test(cluster)) return;
    this.#wanted.add(cluster);
    this.#queue.add(cluster);
  }

  /** It has no Machines any more. */
  async drop(cluster: string): Promise<void> {
    this.#wanted.delete(cluster);
    this.#queue.forget(cluster);
    const workload = this.#running.get(cluster);
    this.#running.delete(cluster);
    this.#refused.delete(cluster);
    await workload?.approver.stop();
  }

  lookAgain(cluster: string, nodes: readonly string[]): void {
    this.#running.get(cluster)?.approver.lookAgain(nodes);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    await Promise.all([...this.#wanted].map((cluster) => this.drop(cluster)));
  }

  /** @throws KubeError, AccessError, ForbiddenAddressError */
  async #look(cluster: string): Promise<void> {
    const text = await this.#kubeconfig(cluster);
    if (!this.#wanted.has(cluster)) return;
    const from = createHash('sha256').update(text).digest('hex');
    const before = this.#running.get(cluster);
    if (before?.from !== from) {
      const client = this.#connect(cluster, text, from);
      this.#running.delete(cluster);
      await before?.approver.stop();
      if (this.#wanted.has(cluster))
        this.#running.set(cluster, { from, approver: this.#begin(cluster, client) });
      else client.close();
    }
    this.#queue.later(cluster, LOOK_MS);
  }

  /** @throws AccessError, ForbiddenAddressError */
  #connect(cluster: string, text: string, from: string): KubeClient {
    const { connect = (to: Access) => new KubeClient(to), allowed } = this.#parts;
    const refused = this.#refused.get(cluster);
    if (refused?.from === from) throw refused.error;
    this.#refused.delete(cluster);
    try {
      return connect(readTenantKubeconfig(text, `the kubeconfig of ${cluster}`, allowed));
    } catch (error) {
      if (error instanceof ExpectedError) this.#refused.set(cluster, { from, error });
      throw error;
    }
  }

  #begin(cluster: string, client: KubeClient): Approver {
    const { home: _, suffix: __, allowed: ___, connect: ____, log: whole, ...parts } = this.#parts;
    const log = rateLimitedLog(whole, cluster);
    const approver = new Approver({
      ...{ ...parts, client, cluster, log },
      trouble: (error) => {
        log.warn("a cluster's certificate requests cannot be followed", {
          cluster,
          reason: reason(error),
        });
        // Its credentials may have been renewed by now.
        if (isStatus(error, 401)) this.#queue.add(cluster);
      },
    });
    approver.start();
    void warnOfOtherApprovers(client, cluster, log);
    return approver;
  }

  async #kubeconfig(cluster: string): Promise<string> {
    const [namespace, name] = cluster.split('/');
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}${this.#parts.suffix}`;
    const { data } = await this.#parts.home.request<{ data?: Record<string, string> }>('GET', path);
    const value = data?.value;
    if (value === undefined) throw new KubeError(0, 'Invalid', `${path} has no key "value"`);
    return Buffer.from(value, 'base64').toString('utf8');
  }
}
