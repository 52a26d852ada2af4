import { mintMachineToken } from '../attest/machine-token.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { rightsRemedy } from '../store/api-errors.ts';
import type { MachineIdentities } from '../store/machine-identities.ts';
import type { Machine } from './machine.ts';
import { WorkQueue } from './work-queue.ts';

interface MinterParts {
  readonly client: KubeClient;
  readonly key: () => Uint8Array;
  readonly identities: Pick<MachineIdentities, 'of'>;
  readonly lifetimeMs: number;
  readonly byKey: (key: string) => Machine | undefined;
  /** Whether a TPM is named for a Machine; undefined while nobody knows. */
  readonly namesTpm: (machine: Machine) => boolean | undefined;
  readonly log: Log;
}

/** Until it looks again in a namespace where it may write no Secret. */
const FORBIDDEN_MS = 5 * 60_000;

/** The name of the Secret with a Machine's token. */
export function tokenSecretName(machine: string): string {
  return `${machine}-slipway-token`;
}

/**
 * Puts a token into a Secret beside each Machine that asks for one and has no Node yet. The Secret is deleted
 * with its Machine. It only creates Secrets and reads none of them, and two that work at once do no harm: the
 * Secret's name makes it one.
 */
export class Minter {
  readonly #parts: MinterParts;
  readonly #queue: WorkQueue;
  readonly #done = new Set<string>();
  readonly #forbidden = new Set<string>();

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

  machineChanged(machine: Machine): void {
    const { wantsToken, nodeName, deleting, uid } = machine;
    if (!wantsToken || nodeName !== undefined || deleting || this.#done.has(uid)) return;
    // A Machine with a TPM is proved by that and by nothing else.
    if (this.#parts.namesTpm(machine) !== false) return;
    this.#queue.add(`${machine.namespace}/${machine.name}`);
  }

  machineGone({ namespace, name, uid }: Machine): void {
    this.#done.delete(uid);
    this.#queue.forget(`${namespace}/${name}`);
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
    if (!machine || this.#done.has(machine.uid)) return;
    const { namespace, uid } = machine;
    const { client, key: secret, identities, lifetimeMs } = this.#parts;
    const epoch = (await identities.of(namespace, uid))?.epoch ?? 0;
    const expiresAt = Date.now() + lifetimeMs;
    const token = mintMachineToken(machine, epoch, expiresAt, secret());
    try {
      const body = secretOf(machine, token, expiresAt);
      await client.request('POST', `/api/v1/namespaces/${namespace}/secrets`, { body });
    } catch (error) {
      if (isStatus(error, 403)) return this.#putOff(key, namespace, error);
      // Another minter made it, or it is the old one, which an administrator deletes first.
      if (!isStatus(error, 409)) throw error;
    }
    this.#done.add(uid);
  }

  #putOff(key: string, namespace: string, error: Error): void {
    if (!this.#forbidden.has(namespace)) {
      this.#forbidden.add(namespace);
      const why = `${error.message}; ${rightsRemedy(namespace)}`;
      this.#parts.log.warn('tokens may not be put into Secrets of a namespace', { namespace, reason: why });
    }
    this.#queue.later(key, FORBIDDEN_MS);
  }
}

function secretOf({ namespace, name, uid, apiVersion }: Machine, token: string, expiresAt: number): object {
  return {
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
    stringData: { token },
  };
}
