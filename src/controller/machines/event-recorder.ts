import { createHash } from 'node:crypto';
import { boundedText, printable } from '../../protocol/wire.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Machine } from './machine.ts';

export interface MachineEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** Kubernetes Events on Machines: what a person wants to see in `kubectl describe`. */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #host: string;

  constructor(client: KubeClient, host: string) {
    this.#client = client;
    this.#host = host;
  }

  /** @throws KubeError */
  async record(machine: Machine, event: MachineEvent): Promise<void> {
    const { namespace, name, uid, apiVersion } = machine;
    const now = new Date().toISOString();
    const unique = createHash('sha256').update(`${uid} ${event.reason} ${now}`).digest('hex').slice(0, 16);
    await this.#client.request('POST', `/api/v1/namespaces/${namespace}/events`, {
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${name.slice(0, 200)}.${unique}`, namespace },
        involvedObject: { apiVersion, kind: 'Machine', namespace, name, uid },
        type: event.type,
        reason: event.reason,
        // The bound of the API (events.k8s.io).
        message: boundedText(printable(event.message), 1024),
        source: { component: 'slipway-controller', host: this.#host },
        firstTimestamp: now.replace(/\.\d+/, ''),
        lastTimestamp: now.replace(/\.\d+/, ''),
        count: 1,
      },
    });
  }
}
