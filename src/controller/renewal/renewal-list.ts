import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';

/** A ConfigMap of the controller's namespace (manifests/rbac/token-renewals.yaml): no secret is in it. */
const RENEWALS = 'slipway-token-renewals';
/** Keys by which the minter says what it has put where. */
const WRITTEN = 'written.';

/** A token that was renewed, and the Secret that it belongs into. */
export interface Renewal {
  readonly id: string;
  readonly namespace: string;
  readonly secret: string;
  readonly hash: string;
  readonly expiresAt: number;
}

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** What the controller and the minter tell each other of renewed tokens: what is to be put where, and what was. */
export class RenewalList {
  readonly #client: KubeClient;
  readonly #path: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#path = `/api/v1/namespaces/${namespace}/configmaps/${RENEWALS}`;
  }

  /** @returns renewals by their token's id, and the hashes that were written, in the same way @throws KubeError */
  async read(): Promise<{ renewals: Map<string, Renewal>; written: Map<string, string> }> {
    const { data = {} } = await this.#client.request<ConfigMap>('GET', this.#path);
    const renewals = new Map<string, Renewal>();
    const written = new Map<string, string>();
    for (const [key, text] of Object.entries(data)) {
      if (key.startsWith(WRITTEN)) written.set(key.slice(WRITTEN.length), text);
      const renewal = key.startsWith(WRITTEN) ? undefined : readRenewal(key, text);
      if (renewal) renewals.set(key, renewal);
    }
    return { renewals, written };
  }

  /** @param gone ids of tokens that are renewed no longer @throws KubeError */
  async put(renewals: readonly Renewal[], gone: readonly string[]): Promise<void> {
    const data: Record<string, string | null> = {};
    for (const { id, ...rest } of renewals) data[id] = JSON.stringify(rest);
    for (const id of gone) Object.assign(data, { [id]: null, [`${WRITTEN}${id}`]: null });
    await this.#patch(data);
  }

  /** @throws KubeError */
  async putWritten({ id, hash }: Renewal): Promise<void> {
    await this.#patch({ [`${WRITTEN}${id}`]: hash });
  }

  async #patch(data: Record<string, string | null>): Promise<void> {
    await this.#client.request('PATCH', this.#path, {
      body: { data },
      contentType: 'application/merge-patch+json',
    });
  }
}

/** Undefined where somebody wrote it by hand and not rightly. */
function readRenewal(id: string, text: string): Renewal | undefined {
  try {
    const { namespace, secret, hash, expiresAt } = JSON.parse(text) as Renewal;
    const isWhole = [namespace, secret].every((name) => NAME.test(name)) && typeof hash === 'string';
    return isWhole && Number.isFinite(expiresAt) ? { id, namespace, secret, hash, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

/** They become parts of a path. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
