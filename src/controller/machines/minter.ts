import { mintMachineToken } from '../attest/machine-token.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import type { MachineIdentities } from '../store/machine-identities.ts';
import type { Machine } from './machine.ts';
import { WorkQueue } from './work-queue.ts';

export interface MinterParts {
  readonly client: KubeClient;
  readonly key: () => Uint8Array;
  readonly identities: Pick<MachineIdentities, 'of'>;
  readonly lifetimeMs: number;
  readonly byKey: (key: string) => Machine | undefined;
  readonly log: Log;
}

/** The name of the Secret with a Machine's token. */
export function tokenSecretName(machine: string): string {
  return `${machine}-slipway-token`;
}

/**
 * Puts a token into a Secret beside each Machine that asks for one and has no Node yet. The Secret is deleted
 * with its Machine. The controller only creates Secrets and never reads those of others.
 */
export class Minter {
  readonly #parts: MinterParts;
  readonly #queue: WorkQueue;
  readonly #done = new Set<string>();
  #leads = false;

  constructor(parts: MinterParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#mint(key), {
      parallel: 8,
      failed: (key, error, retryInMs) =>
        parts.log.warn('a token could not be put into its Secret', {
          machine: key,
          reason: reason(error),
          retryInMs,
        }),
    });
  }

  lead(leads: boolean, machines: Iterable<Machine>): void {
    this.#leads = leads;
    if (leads) for (const machine of machines) this.machineChanged(machine);
  }

  machineChanged(machine: Machine): void {
    const { wantsToken, endorsementKey, nodeName, deleting, uid } = machine;
    if (!this.#leads || !wantsToken || endorsementKey !== undefined || nodeName !== undefined || deleting)
      return;
    if (this.#done.has(uid)) return;
    this.#queue.add(`${machine.namespace}/${machine.name}`);
  }

  machineGone(uid: string): void {
    this.#done.delete(uid);
  }

  /** Its NodeBootstrap was deleted, so that a rebuilt machine can enrol: by a token of the next epoch. */
  nodeGone(machine: Machine): void {
    this.#done.delete(machine.uid);
    this.machineChanged(machine);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #mint(key: string): Promise<void> {
    const machine = this.#parts.byKey(key);
    if (!machine || !this.#leads || this.#done.has(machine.uid)) return;
    const { namespace, name, uid, apiVersion } = machine;
    const { client, key: secret, identities, lifetimeMs } = this.#parts;
    const epoch = (await identities.of(namespace, uid))?.epoch ?? 0;
    const expiresAt = Date.now() + lifetimeMs;
    try {
      await client.request('POST', `/api/v1/namespaces/${namespace}/secrets`, {
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name: tokenSecretName(name),
            namespace,
            labels: { 'slipway.dev/token': 'machine' },
            annotations: { 'slipway.dev/expires': new Date(expiresAt).toISOString() },
            ownerReferences: [{ apiVersion, kind: 'Machine', name, uid }],
          },
          type: 'slipway.dev/machine-token',
          stringData: { token: mintMachineToken(uid, epoch, expiresAt, secret()) },
        },
      });
    } catch (error) {
      // An earlier leader made it, or it is the old one, which an administrator deletes first.
      if (!isStatus(error, 409)) throw error;
    }
    this.#done.add(uid);
  }
}
