import type { KubeClient } from './client.ts';
import { isStatus } from './kube-error.ts';

interface Group {
  readonly preferredVersion: { readonly groupVersion: string };
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Known {
  readonly path: ((namespace: string) => string) | undefined;
  readonly until: number;
}

/** A version that is served now may not be after an update. */
const KNOWN_MS = 5 * 60_000;

/** Where the API server keeps objects of kinds that only a cluster's users know. */
export class Resources {
  readonly #client: KubeClient;
  readonly #known = new Map<string, Known>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * @param group a DNS name
   * @returns the collection's path in a namespace; undefined where there is no such kind, or it lies in no namespace
   * @throws KubeError
   */
  async find(group: string, kind: string): Promise<Known['path']> {
    const key = `${group}/${kind}`;
    const known = this.#known.get(key);
    if (known && known.until > performance.now()) return known.path;
    const path = await this.#ask(group, kind);
    this.#known.set(key, { path, until: performance.now() + KNOWN_MS });
    return path;
  }

  async #ask(group: string, kind: string): Promise<Known['path']> {
    try {
      const { preferredVersion } = await this.#client.request<Group>('GET', `/apis/${group}`);
      const base = `/apis/${preferredVersion.groupVersion}`;
      const { resources } = await this.#client.request<{ resources: readonly Resource[] }>('GET', base);
      const found = resources.find((one) => one.kind === kind && one.namespaced && !one.name.includes('/'));
      return found && ((namespace) => `${base}/namespaces/${namespace}/${found.name}`);
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }
}
