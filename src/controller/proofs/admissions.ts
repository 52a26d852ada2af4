import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus, succeedsUnlessStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { findMachineVersion, machinesPath } from '../machines/machine.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { writeAdmission } from '../store/admission.ts';
import { leaseName } from '../store/key-holders.ts';
import { MachineIdentities } from '../store/machine-identities.ts';
import { objectPath } from '../store/node-bootstrap.ts';
import type { Store } from '../store/store.ts';

export type Action = 'admit' | 'quarantine' | 'release';

interface AdmissionParts {
  readonly client: KubeClient;
  readonly store: Pick<Store, 'find'>;
  /** The controller's namespace. */
  readonly home: string;
}

/** What people decide about nodes that proved themselves. */
export class Admissions {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** @returns what became of it, for people; undefined if there is no such node. @throws ExpectedError, KubeError */
  async decide(action: Action, namespace: string, name: string): Promise<string | undefined> {
    const record = await this.#parts.store.find(namespace, name);
    if (action === 'release') {
      if (record) return await this.#release(record);
      return (await this.#forget(namespace, name)) ? 'had no node, and its TPM is forgotten' : undefined;
    }
    if (!record) return undefined;
    const state = action === 'admit' ? 'Admitted' : 'Quarantined';
    const before = record.spec.admission?.state ?? 'Admitted';
    if (before === state) return `is ${state} already`;
    if (await writeAdmission(this.#parts.client, record, { state, at: new Date().toISOString() }))
      return `is ${state}, and was ${before}`;
    throw new ExpectedError('somebody else changed the node at this moment; look at it, and try again');
  }

  /** The order lets nobody in between: while its node is there, no other one is. */
  async #release({ namespace, name, spec }: NodeRecord): Promise<string> {
    const { client } = this.#parts;
    const { endorsementKey } = spec.enrolment;
    if (endorsementKey !== undefined) await this.#removeLease(endorsementKey);
    if (spec.machine) await new MachineIdentities(client).unbind(namespace, spec.machine.uid);
    await succeedsUnlessStatus(client.request('DELETE', objectPath(namespace, name)), 404);
    return 'is forgotten: its Machine takes another machine or TPM now';
  }

  /** What a node left behind that somebody deleted. @returns false if there is no such Machine, or nothing of it */
  async #forget(namespace: string, name: string): Promise<boolean> {
    const { client } = this.#parts;
    const path = `${machinesPath(await findMachineVersion(client), namespace)}/${name}`;
    try {
      const { uid = '' } = (await client.request<KubeObject>('GET', path)).metadata;
      const identities = new MachineIdentities(client);
      const key = (await identities.of(namespace, uid))?.endorsementKey;
      if (key === undefined) return false;
      await this.#removeLease(key);
      await identities.unbind(namespace, uid);
      return true;
    } catch (error) {
      if (isStatus(error, 404)) return false;
      throw error;
    }
  }

  async #removeLease(key: string): Promise<void> {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${this.#parts.home}/leases`;
    await succeedsUnlessStatus(this.#parts.client.request('DELETE', `${leases}/${leaseName(key)}`), 404);
  }
}
