import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus, succeedsUnlessStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { type IdentityPolicy, type NodeIdentityPolicy, readPolicy } from '../policy/identity-policy.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { API_VERSION } from '../store/node-bootstrap.ts';

interface Known {
  readonly policy: IdentityPolicy;
  readonly generation: number;
  readonly told: string;
}

interface PolicyWatchParts {
  readonly client: KubeClient;
  readonly book: PolicySet;
  readonly log: Log;
  readonly trouble: (error: Error, retryInMs: number) => void;
  /** Only those of this one. */
  readonly namespace?: string | undefined;
}

/** Follows NodeIdentityPolicies, and where this replica leads, says in their status whether they can be kept. */
export class PolicyWatch {
  readonly #parts: PolicyWatchParts;
  readonly #informer: Informer<NodeIdentityPolicy>;
  readonly #listed = Promise.withResolvers<void>();
  readonly #known = new Map<string, Known>();
  readonly #queue: WorkQueue;
  #leads = false;

  constructor(parts: PolicyWatchParts) {
    this.#parts = parts;
    const { client, book, log, trouble, namespace } = parts;
    this.#queue = new WorkQueue((key) => this.#tell(key), {
      parallel: 2,
      failed: (policy, error, retryInMs) =>
        log.warn("a policy's status could not be written", { policy, reason: reason(error), retryInMs }),
    });
    this.#informer = new Informer<NodeIdentityPolicy>(client, pathOf(namespace), {
      changed: (object) => this.#put(object),
      gone: (key) => {
        book.remove(key);
        this.#known.delete(key);
        this.#queue.forget(key);
      },
      listed: () => this.#listed.resolve(),
      trouble: (error, retryInMs) => {
        // Where nobody has installed this kind of object, there is none of them.
        if (isStatus(error, 404)) this.#listed.resolve();
        trouble(error, retryInMs);
      },
    });
  }

  /** Resolves when it knows all policies: before that, nobody may be let in. */
  async start(): Promise<void> {
    this.#informer.start();
    await this.#listed.promise;
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) for (const key of this.#known.keys()) this.#queue.add(key);
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
    await this.#queue.stop();
  }

  #put(object: NodeIdentityPolicy): void {
    const policy = readPolicy(object);
    this.#parts.book.put(policy);
    const { metadata, status } = object;
    const key = `${policy.namespace}/${policy.name}`;
    const generation = metadata.generation ?? 0;
    this.#known.set(key, { policy, generation, told: JSON.stringify([status?.valid, status?.message]) });
    if (this.#leads) this.#queue.add(key);
  }

  async #tell(key: string): Promise<void> {
    const known = this.#known.get(key);
    if (!known || !this.#leads) return;
    const { policy, generation } = known;
    const valid = policy.invalid === undefined;
    const message = policy.invalid ?? 'In force.';
    if (known.told === JSON.stringify([valid, message])) return;
    const path = `${pathOf(policy.namespace)}/${policy.name}/status`;
    const body = { status: { valid, message, observedGeneration: generation } };
    const contentType = 'application/merge-patch+json';
    await succeedsUnlessStatus(this.#parts.client.request('PATCH', path, { body, contentType }), 404);
  }
}

function pathOf(namespace?: string): string {
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${API_VERSION}${within}/nodeidentitypolicies`;
}
