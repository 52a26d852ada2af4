import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { StoreBusy } from './store.ts';

interface Lease extends KubeObject {
  spec: { holderIdentity?: string | null; acquireTime?: string | null };
}

/**
 * Remembers which Machine an endorsement key belongs to, if nobody had named the key: one Lease each, called by the key, in the controller's
 * namespace. A name is made once, so of two that come at the same moment, whatever the replicas and namespaces, one gets it.
 */
export class KeyHolders {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #isThere: (uid: string) => boolean;

  /** @param isThere is there a Machine with this UID? */
  constructor(client: KubeClient, namespace: string, isThere: (uid: string) => boolean) {
    this.#client = client;
    this.#namespace = namespace;
    this.#isThere = isThere;
  }

  /** @returns false if it is another Machine's. @throws StoreBusy */
  async take(key: string, machine: { namespace: string; name: string; uid: string }): Promise<boolean> {
    const name = leaseName(key);
    const spec = { holderIdentity: machine.uid, acquireTime: new Date().toISOString().replace('Z', '000Z') };
    const annotations = { 'slipway.dev/machine': `${machine.namespace}/${machine.name}` };
    const kinds = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    try {
      const metadata = { name, namespace: this.#namespace, annotations };
      await this.#client.request('POST', this.#path, { body: { ...kinds, metadata, spec } });
      return true;
    } catch (error) {
      if (!isStatus(error, 409)) throw busy(error);
    }
    try {
      const known = await this.#client.request<Lease>('GET', `${this.#path}/${name}`);
      const holder = known.spec.holderIdentity ?? '';
      if (holder === machine.uid) return true;
      if (holder !== '' && this.#isThere(holder)) return false;
      // Its Machine is gone: the hardware is used again.
      const metadata = { ...known.metadata, annotations };
      await this.#client.request('PUT', `${this.#path}/${name}`, { body: { ...kinds, metadata, spec } });
      return true;
    } catch (error) {
      if (isStatus(error, 409)) throw new StoreBusy(`${name} is being written by others`);
      throw busy(error);
    }
  }

  get #path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases`;
  }
}

export function leaseName(key: string): string {
  return `slipway-tpm-${key.replace('sha256:', '')}`;
}

function busy(error: unknown): unknown {
  if (!(error instanceof KubeError) || !error.passing) return error;
  return new StoreBusy(error.message, error.retryAfterMs, { cause: error });
}
