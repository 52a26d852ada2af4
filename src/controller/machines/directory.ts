import type { MachineIdentity } from '../../protocol/events.ts';
import type { Claim } from '../attest/attestor.ts';
import type { Found, Ties } from '../attest/holders.ts';
import { Refused } from '../attest/refused.ts';
import type { NodeSpec, TieKind } from '../model/node-record.ts';
import { isSelected, selectorText } from '../model/selector.ts';
import type { Machine } from './machine.ts';
import { MachineIndex } from './machine-index.ts';

/** All Machines, found by name, UID or provider ID in constant time. */
export class MachineDirectory implements Ties {
  readonly #byKey = new Map<string, Machine>();
  readonly #byUid = new Map<string, Machine>();
  readonly #byEndorsementKey = new MachineIndex();
  /** By namespace and provider ID. Two clusters of a namespace may use the same one twice. */
  readonly #byProviderId = new MachineIndex();

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
    this.#byEndorsementKey.add(machine.endorsementKey, machine);
    this.#byProviderId.add(providerKey(machine.namespace, machine.providerID), machine);
  }

  remove(key: string): void {
    const machine = this.#byKey.get(key);
    if (!machine) return;
    this.#byKey.delete(key);
    this.#byUid.delete(machine.uid);
    this.#byEndorsementKey.remove(machine.endorsementKey, machine);
    this.#byProviderId.remove(providerKey(machine.namespace, machine.providerID), machine);
  }

  byUid(uid: string): Machine | undefined {
    return this.#byUid.get(uid);
  }

  /** The Machine that names this TPM; none if several do. */
  byEndorsementKey(id: string): Machine | undefined {
    const [one, ...more] = this.#byEndorsementKey.get(id);
    return more.length > 0 ? undefined : one;
  }

  byName(namespace: string, name: string): Machine | undefined {
    return this.#byKey.get(`${namespace}/${name}`);
  }

  /**
   * Finds the Machine of a node: by its token, by its provider ID, by its name, in this order. The node
   * itself claims the last two, so they count only in its token's namespace and within its token's selector.
   */
  match(
    {
      namespace,
      machineUid,
      selector = {},
      endorsementKey,
    }: Pick<Claim, 'namespace' | 'machineUid' | 'selector' | 'endorsementKey'>,
    { providerID, hostname }: Pick<MachineIdentity, 'providerID' | 'hostname'>,
  ): { machine: Machine; by: TieKind } | undefined {
    if (machineUid !== undefined)
      return found(this.#byUid.get(machineUid), endorsementKey === undefined ? 'token' : 'tpm');
    const same = this.#byProviderId.get(providerKey(namespace, providerID));
    const [byId, ...more] = same.filter((machine) => isSelected(selector, machine));
    if (byId && more.length === 0) return { machine: byId, by: 'providerID' };
    const name = hostname.toLowerCase();
    const byName = this.byName(namespace, name) ?? this.byName(namespace, name.split('.')[0] ?? '');
    return found(byName, 'name');
  }

  find(claim: Claim, identity: MachineIdentity): Found | undefined {
    const match = this.match(claim, identity);
    if (!match) return undefined;
    const { machine, by } = match;
    const { name, namespace, uid, apiVersion, nodeName } = machine;
    const why = whyNot(machine, by, claim);
    if (why !== undefined) throw new Refused('unauthorized', `Machine ${namespace}/${name} ${why}`);
    return {
      namespace,
      tie: { name, uid, by },
      owner: { apiVersion, name, uid },
      hasNode: nodeName !== undefined,
    };
  }

  /** True for a node whose Machine was there and is not any more. */
  isGone({ machine }: NodeSpec): boolean {
    return machine !== undefined && !this.#byUid.has(machine.uid);
  }

  objection({ machine: tie, enrolment }: NodeSpec): string | undefined {
    const machine = tie && this.#byUid.get(tie.uid);
    if (!tie) return undefined;
    const why = machine ? whyNot(machine, tie.by, { endorsementKey: enrolment.endorsementKey }) : 'is gone';
    return why && `Machine ${tie.name} ${why}`;
  }
}

/** What a node brings along. */
type Proved = { [K in 'selector' | 'endorsementKey']?: Claim[K] | undefined };

/** Why a node that claims or proves to be this Machine cannot be it; undefined if it can. */
export function whyNot(
  machine: Machine,
  by: TieKind,
  { selector = {}, endorsementKey }: Proved = {},
): string | undefined {
  if (machine.deleting) return 'is being deleted';
  if (machine.endorsementKey !== undefined && machine.endorsementKey !== endorsementKey)
    return 'takes only the machine with the TPM that its annotation names';
  if (by === 'token' || by === 'tpm') return undefined;
  if (machine.wantsToken) return 'takes its own token only, and no claim by a pool';
  return isSelected(selector, machine)
    ? undefined
    : `is not what the token is for: ${selectorText(selector)}`;
}

function found(machine: Machine | undefined, by: TieKind): { machine: Machine; by: TieKind } | undefined {
  return machine && { machine, by };
}

function keyOf({ namespace, name }: Machine): string {
  return `${namespace}/${name}`;
}

function providerKey(namespace: string, providerID: string | undefined): string | undefined {
  return providerID === undefined ? undefined : `${namespace} ${providerID}`;
}
