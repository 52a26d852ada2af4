import type { MachineIdentity } from '../../protocol/events.ts';
import type { Claim } from '../attest/attestor.ts';
import type { Ties } from '../attest/enrolment.ts';
import { Refused } from '../attest/refused.ts';
import type { MachineTie, TieKind } from '../model/node-record.ts';
import type { Owner } from '../store/store.ts';
import type { Machine } from './machine.ts';

/** All Machines, found by name, UID or provider ID in constant time. */
export class MachineDirectory implements Ties {
  readonly #byKey = new Map<string, Machine>();
  readonly #byUid = new Map<string, Machine>();
  readonly #byProviderId = new Map<string, Machine>();

  get size(): number {
    return this.#byKey.size;
  }

  all(): Iterable<Machine> {
    return this.#byKey.values();
  }

  put(machine: Machine): void {
    this.remove(keyOf(machine));
    this.#byKey.set(keyOf(machine), machine);
    this.#byUid.set(machine.uid, machine);
    if (machine.providerID !== undefined) this.#byProviderId.set(machine.providerID, machine);
  }

  remove(key: string): void {
    const machine = this.#byKey.get(key);
    if (!machine) return;
    this.#byKey.delete(key);
    this.#byUid.delete(machine.uid);
    if (machine.providerID !== undefined && this.#byProviderId.get(machine.providerID) === machine) {
      this.#byProviderId.delete(machine.providerID);
    }
  }

  byUid(uid: string): Machine | undefined {
    return this.#byUid.get(uid);
  }

  byName(namespace: string, name: string): Machine | undefined {
    return this.#byKey.get(`${namespace}/${name}`);
  }

  /**
   * Finds the Machine of a node: by its token, by its provider ID, by its name, in this order. The node
   * itself claims the last two, so they count only in its token's namespace.
   */
  match(
    { namespace, machineUid }: Pick<Claim, 'namespace' | 'machineUid'>,
    { providerID, hostname }: Pick<MachineIdentity, 'providerID' | 'hostname'>,
  ): { machine: Machine; by: TieKind } | undefined {
    if (machineUid !== undefined) return found(this.#byUid.get(machineUid), 'token');
    const byId = providerID === undefined ? undefined : this.#byProviderId.get(providerID);
    if (byId && byId.namespace === namespace) return { machine: byId, by: 'providerID' };
    const name = hostname.toLowerCase();
    return (
      found(this.byName(namespace, name), 'name') ??
      found(this.byName(namespace, name.split('.')[0] ?? ''), 'name')
    );
  }

  find(
    claim: Claim,
    identity: MachineIdentity,
  ): { tie: MachineTie; namespace: string; owner: Owner } | undefined {
    const match = this.match(claim, identity);
    if (!match) return undefined;
    const { machine, by } = match;
    const { name, namespace, uid, apiVersion } = machine;
    if (machine.deleting) throw new Refused('unauthorized', `Machine ${namespace}/${name} is being deleted`);
    // With a pool's token, anybody could claim to be a machine that joined long ago.
    if (by !== 'token' && machine.nodeName !== undefined) {
      throw new Refused('unauthorized', `Machine ${namespace}/${name} has its Node already`);
    }
    return { namespace, tie: { name, uid, by }, owner: { apiVersion, name, uid } };
  }
}

function found(machine: Machine | undefined, by: TieKind): { machine: Machine; by: TieKind } | undefined {
  return machine && { machine, by };
}

function keyOf({ namespace, name }: Machine): string {
  return `${namespace}/${name}`;
}
