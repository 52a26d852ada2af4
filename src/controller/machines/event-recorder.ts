import { createHash } from 'node:crypto';
import { boundedText, printable } from '../../protocol/wire.ts';
import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';

/** What an Event is on. */
interface EventTarget {
  /** Default: Machine. */
  readonly kind?: 'MachinePool';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
}

export interface MachineEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** Most Events of which the count is in memory; a forgotten one counts from 2 on. */
const MAX_COUNTS = 5_000;

/**
 * Kubernetes Events on Machines and MachinePools: what a person wants to see in `kubectl describe`. An object has one Event
 * for each reason, and what comes again is counted there. The API server deletes it an hour after that.
 */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #host: string;
  /** By name; the longest unchanged first. */
  readonly #counts = new Map<string, number>();

  constructor(client: KubeClient, host: string) {
    this.#client = client;
    this.#host = host;
  }

  /** @throws KubeError */
  async record(target: EventTarget, event: MachineEvent): Promise<void> {
    const { namespace, name: of, uid } = target;
    const unique = createHash('sha256').update(`${uid} ${event.reason}`).digest('hex').slice(0, 16);
    const name = `${of.slice(0, 200)}.${unique}`;
    const key = `${namespace}/${name}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    // Two rounds: the first one may be gone by now, or another leader may have made it.
    const isNew = count === 1 ? await this.#create(name, target, event) : false;
    const counted = isNew ? 1 : Math.max(2, count);
    if (!isNew && !(await this.#repeat(namespace, name, event, counted)))
      await this.#create(name, target, event);
    this.#counts.delete(key);
    if (this.#counts.size >= MAX_COUNTS) this.#counts.delete(this.#counts.keys().next().value ?? '');
    this.#counts.set(key, counted);
  }

  /** @returns false if there is one */
  async #create(
    name: string,
    target: EventTarget,
    { type, reason, message }: MachineEvent,
  ): Promise<boolean> {
    const { namespace, uid, apiVersion, kind = 'Machine' } = target;
    const now = seconds();
    const created = this.#client.request('POST', `/api/v1/namespaces/${namespace}/events`, {
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject: { apiVersion, kind, namespace, name: target.name, uid },
        ...{ type, reason, message: shown(message) },
        source: { component: 'slipway-controller', host: this.#host },
        ...{ firstTimestamp: now, lastTimestamp: now, count: 1 },
      },
    });
    return succeedsUnlessStatus(created, 409);
  }

  /** @returns false if there is none */
  async #repeat(namespace: string, name: string, { message }: MachineEvent, count: number): Promise<boolean> {
    const patched = this.#client.request('PATCH', `/api/v1/namespaces/${namespace}/events/${name}`, {
      body: { count, lastTimestamp: seconds(), message: shown(message) },
      contentType: 'application/merge-patch+json',
    });
    return succeedsUnlessStatus(patched, 404);
  }
}

/** Within the bound of the API (events.k8s.io). */
function shown(message: string): string {
  return boundedText(printable(message), 1024);
}

/** As Kubernetes writes times. */
function seconds(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}
