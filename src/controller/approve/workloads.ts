import { createHash } from 'node:crypto';
import type { Access } from '../kube/access.ts';
import { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import { readForeignKubeconfig } from '../kube/kubeconfig.ts';
import { reason } from '../log.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { Approver, type ApproverParts } from './approver.ts';
import { tellOfOthers } from './others.ts';

interface WorkloadsParts extends Omit<ApproverParts, 'client' | 'cluster' | 'trouble'> {
  /** The client of the cluster that has the Machines. */
  readonly home: KubeClient;
  /** The Secret with a Cluster's kubeconfig is called as the Cluster, and this. */
  readonly suffix: string;
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
    await workload?.approver.stop();
  }

  lookAgain(cluster: string, nodes: readonly string[]): void {
    this.#running.get(cluster)?.approver.lookAgain(nodes);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    await Promise.all([...this.#wanted].map((cluster) => this.drop(cluster)));
  }

  /** @throws KubeError, AccessError */
  async #look(cluster: string): Promise<void> {
    const text = await this.#kubeconfig(cluster);
    if (!this.#wanted.has(cluster)) return;
    const from = createHash('sha256').update(text).digest('hex');
    const before = this.#running.get(cluster);
    if (before?.from !== from) {
      const access = readForeignKubeconfig(text, `the kubeconfig of ${cluster}`);
      this.#running.delete(cluster);
      await before?.approver.stop();
      if (this.#wanted.has(cluster))
        this.#running.set(cluster, { from, approver: this.#begin(cluster, access) });
    }
    this.#queue.later(cluster, LOOK_MS);
  }

  #begin(cluster: string, access: Access): Approver {
    const { connect = (to: Access) => new KubeClient(to), home: _, suffix: __, ...parts } = this.#parts;
    const client = connect(access);
    const approver = new Approver({
      ...{ ...parts, client, cluster },
      trouble: (error) => {
        parts.log.warn("a cluster's certificate requests cannot be followed", {
          cluster,
          reason: reason(error),
        });
        // Its credentials may have been renewed by now.
        if (isStatus(error, 401)) this.#queue.add(cluster);
      },
    });
    approver.start();
    void tellOfOthers(client, cluster, parts.log);
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
