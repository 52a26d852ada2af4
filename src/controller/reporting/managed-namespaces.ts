import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import type { KubeObject } from '../kube/objects.ts';
import { BOOTSTRAP_DATA } from '../machines/machine.ts';

/** Follows the namespaces whose label asks for `managed` bootstrap data. */
export class ManagedNamespaces {
  readonly #names = new Set<string>();
  readonly #informer: Informer<KubeObject>;

  /** @param changed called with a namespace that asks for it now */
  constructor(
    client: KubeClient,
    changed: (namespace: string) => void,
    trouble: (error: Error, retryInMs: number) => void,
  ) {
    this.#informer = new Informer<KubeObject>(
      client,
      '/api/v1/namespaces',
      {
        changed: ({ metadata }) => {
          this.#names.add(metadata.name);
          changed(metadata.name);
        },
        gone: (key) => this.#names.delete(key.replace(/^\//, '')),
        trouble,
      },
      { selector: `${BOOTSTRAP_DATA}=managed` },
    );
  }

  has(namespace: string): boolean {
    return this.#names.has(namespace);
  }

  /** Nothing waits for it: until it knows them, nobody is expected to report because of a namespace. */
  start(): void {
    this.#informer.start();
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }
}
