import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError, succeedsUnlessStatus } from '../kube/kube-error.ts';
import type { KubeObject, ListOf } from '../kube/objects.ts';
import { StoreBusy } from '../store/store.ts';

/** What was sealed for a Machine, as the controller gives it to that Machine's machine. */
export interface SealedPart {
  /** `namespace/name` of the Machine, for people. */
  readonly machine: string;
  /** ISO 8601 in UTC. */
  readonly expires: string;
  /** `sha256:...` of the part. */
  readonly digest: string;
  /** Absent where the TPM holds it. */
  readonly key?: Uint8Array;
  /** Absent where it lies elsewhere. */
  readonly part?: Uint8Array;
}

interface PartSecret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

const PART_TYPE = 'slipway.dev/sealed-user-data';
const PREFIX = 'slipway-sealed-';
const LABEL = 'slipway.dev/sealed-user-data';
const MACHINE = 'slipway.dev/machine';
const EXPIRES = 'slipway.dev/expires';
const DIGEST = 'slipway.dev/digest';
/** The digest of the key of the machine that it was given to, if that machine cannot prove itself anew. */
const TAKEN = 'slipway.dev/taken-by';

/** Sealed parts in Secrets of the controller's namespace: one for a Machine, named by its UID, until it is sealed anew. */
export class SealedParts {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Undefined if nothing is sealed for the Machine with this UID. @throws StoreBusy */
  async of(uid: string): Promise<SealedPart | undefined> {
    const secret = await this.#get(uid);
    return secret && partOf(secret);
  }

  /**
   * Takes it for good, for a machine that has no fresh proof to give.
   *
   * @param digest of the part that the machine is to get
   * @returns false if somebody took it before
   * @throws StoreBusy, also where another part has come in its place
   */
  async take(uid: string, digest: string, keyDigest: string): Promise<boolean> {
    const secret = await this.#get(uid);
    if (secret?.metadata.annotations?.[DIGEST] !== digest)
      throw new StoreBusy('other user data was sealed for this Machine meanwhile');
    if (secret.metadata.annotations?.[TAKEN] !== undefined) return false;
    try {
      const { annotations = {}, resourceVersion } = secret.metadata;
      await this.#client.request('PATCH', `${this.#path}/${PREFIX}${uid}`, {
        body: {
          metadata: { resourceVersion, annotations: { ...annotations, [TAKEN]: keyDigest } },
        },
        contentType: 'application/merge-patch+json',
      });
      return true;
    } catch (error) {
      if (isStatus(error, 409)) return false;
      throw busy(error);
    }
  }

  /** Puts it in the place of what was sealed for that Machine before, and clears away what has expired. @throws KubeError */
  async put(uid: string, { key, part, machine, expires, digest }: SealedPart): Promise<void> {
    await this.#clear();
    const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
    const name = `${PREFIX}${uid}`;
    // Nothing of an earlier one stays, least of all who took it.
    await succeedsUnlessStatus(this.#client.request('DELETE', `${this.#path}/${name}`), 404);
    await this.#client.request('POST', this.#path, {
      body: {
        ...{ apiVersion: 'v1', kind: 'Secret', type: PART_TYPE },
        metadata: {
          ...{ name, namespace: this.#namespace, labels: { [LABEL]: '' } },
          annotations: { [MACHINE]: machine, [EXPIRES]: expires, [DIGEST]: digest },
        },
        data: { ...(key ? { key: b64(key) } : {}), ...(part ? { part: b64(part) } : {}) },
      },
    });
  }

  async #clear(): Promise<void> {
    const { items } = await this.#client.request<ListOf<PartSecret>>('GET', this.#path, {
      query: { labelSelector: LABEL },
    });
    const isOver = ({ metadata }: PartSecret) =>
      Date.parse(metadata.annotations?.[EXPIRES] ?? '') < Date.now();
    for (const { metadata } of items.filter(isOver))
      await succeedsUnlessStatus(this.#client.request('DELETE', `${this.#path}/${metadata.name}`), 404);
  }

  async #get(uid: string): Promise<PartSecret | undefined> {
    try {
      const secret = await this.#client.request<PartSecret>('GET', `${this.#path}/${PREFIX}${uid}`);
      return secret.type === PART_TYPE ? secret : undefined;
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw busy(error);
    }
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/secrets`;
  }
}

function partOf({ metadata, data = {} }: PartSecret): SealedPart {
  const { annotations = {} } = metadata;
  return {
    machine: annotations[MACHINE] ?? '',
    expires: annotations[EXPIRES] ?? '',
    digest: annotations[DIGEST] ?? '',
    ...(data.key === undefined ? {} : { key: Buffer.from(data.key, 'base64') }),
    ...(data.part === undefined ? {} : { part: Buffer.from(data.part, 'base64') }),
  };
}

function busy(error: unknown): unknown {
  return error instanceof KubeError && error.passing
    ? new StoreBusy(error.message, error.retryAfterMs, { cause: error })
    : error;
}
