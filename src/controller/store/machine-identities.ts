import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { API_VERSION, FIELD_MANAGER } from './node-bootstrap.ts';
import { type Owner, StoreBusy } from './store.ts';

/** How often a Machine was proved, and by which key last. */
export interface Proofs {
  /** Tokens of an earlier epoch count no longer. */
  readonly epoch: number;
  readonly keyDigest: string;
  /** The key of the TPM by which it was proved under a policy. */
  readonly endorsementKey?: string;
  /** PCRs as that TPM first signed them, in hex, by number. Absent where nobody vouched for the key: it may be no TPM's. */
  readonly registers?: Readonly<Record<string, string>>;
  /** Beginnings of the digests that led to them, by number. */
  readonly measured?: Readonly<Record<string, string>>;
}

/** What a TPM has shown. */
interface Shown extends Required<Pick<Proofs, 'endorsementKey'>>, Pick<Proofs, 'registers' | 'measured'> {}

interface MachineIdentity extends KubeObject {
  spec: Proofs & { machine: string };
}

/**
 * What stays of a Machine's proofs when its NodeBootstrap is deleted: one MachineIdentity each, with the UID
 * of the Machine as its name, deleted with the Machine (manifests/crd).
 */
export class MachineIdentities {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Undefined if nobody has proved to be it yet. @throws StoreBusy */
  async of(namespace: string, uid: string): Promise<Proofs | undefined> {
    return (await this.#get(namespace, uid))?.spec;
  }

  /**
   * Ends an epoch: its token was used by this key.
   *
   * @returns false if another key has used it
   * @throws StoreBusy
   */
  async spend(namespace: string, owner: Owner, epoch: number, keyDigest: string): Promise<boolean> {
    const known = await this.#get(namespace, owner.uid);
    if (known && known.spec.epoch > epoch) return known.spec.keyDigest === keyDigest;
    const spec = { ...known?.spec, machine: owner.name, epoch: epoch + 1, keyDigest };
    await this.#write(namespace, owner, known, spec);
    return true;
  }

  /**
   * Ties a TPM to a Machine for good.
   *
   * A key that somebody vouches for, which has registers, replaces one that nobody does.
   *
   * @param isNamed people say that it is this TPM, so it replaces another one
   * @param isFirst there was nothing of the Machine a moment ago, so that reading it again would be for nothing
   * @returns false if it is another TPM's
   * @throws StoreBusy
   */
  async bind(
    namespace: string,
    owner: Owner,
    { isNamed, isFirst, ...tpm }: Shown & { isNamed?: boolean; isFirst?: boolean },
  ): Promise<boolean> {
    // What somebody else has made meanwhile is not replaced: the API server makes a name once.
    const known = isFirst ? undefined : await this.#get(namespace, owner.uid);
    const before = known?.spec.endorsementKey;
    const { endorsementKey: _, measured: __, registers, ...others } = known?.spec ?? {};
    const isBetter = isNamed || (tpm.registers !== undefined && registers === undefined);
    if (before !== undefined && before !== tpm.endorsementKey && !isBetter) return false;
    const isKnown = before === tpm.endorsementKey && registers !== undefined;
    const shown = isKnown ? { ...known?.spec } : tpm;
    const spec = { machine: owner.name, epoch: 1, keyDigest: NO_KEY, ...others, ...shown };
    await this.#write(namespace, owner, known, spec);
    return true;
  }

  /** Forgets the TPM of a Machine; tokens that were used stay used. @throws StoreBusy */
  async unbind(namespace: string, uid: string): Promise<void> {
    const known = await this.#get(namespace, uid);
    if (!known) return;
    const { endorsementKey: _, measured: __, registers: ___, ...spec } = known.spec;
    await this.#replace(known, spec).catch(asBusy);
  }

  /** @throws StoreBusy */
  async #write(
    namespace: string,
    owner: Owner,
    known: MachineIdentity | undefined,
    spec: MachineIdentity['spec'],
  ): Promise<void> {
    const written = known ? this.#replace(known, spec) : this.#create(namespace, owner, spec);
    await written.catch(asBusy);
  }

  async #get(namespace: string, uid: string): Promise<MachineIdentity | undefined> {
    try {
      return await this.#client.request<MachineIdentity>('GET', `${pathOf(namespace)}/${uid}`);
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw busy(error);
    }
  }

  async #create(namespace: string, owner: Owner, spec: MachineIdentity['spec']): Promise<void> {
    await this.#client.request('POST', pathOf(namespace), {
      body: {
        apiVersion: API_VERSION,
        kind: 'MachineIdentity',
        metadata: { name: owner.uid, namespace, ownerReferences: [{ ...owner, kind: 'Machine' }] },
        spec,
      },
      query: { fieldManager: FIELD_MANAGER },
    });
  }

  async #replace({ metadata }: MachineIdentity, spec: MachineIdentity['spec']): Promise<void> {
    const { namespace = '', name, resourceVersion } = metadata;
    await this.#client.request('PATCH', `${pathOf(namespace)}/${name}`, {
      body: [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/spec', value: spec },
      ],
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER },
    });
  }
}

/** Nobody used a token. */
const NO_KEY = '0'.repeat(64);

function pathOf(namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/machineidentities`;
}

/** Another replica that came first is a reason to come again, too. */
function asBusy(error: unknown): never {
  throw busy(error);
}

function busy(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error;
  const isPassing = error.passing || error.status === 409 || error.status === 422;
  return isPassing ? new StoreBusy(error.message, error.retryAfterMs, { cause: error }) : error;
}
