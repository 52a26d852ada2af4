import type { MachineIdentity } from '../../protocol/events.ts';
import type { Claim } from '../attest/attestor.ts';
import type { FoundMachine, MachineFinder } from '../attest/machine-finder.ts';
import { Refused, unsettledRefusal } from '../attest/refused.ts';
import type { NodeRecord, NodeSpec, TieKind } from '../model/node-record.ts';
import { isSelected, selectorText } from '../model/selector.ts';
import type { IdentityPolicy } from '../policy/identity-policy.ts';
import { PolicySet } from '../policy/policy-set.ts';
import { type EnrolmentMethod, refusedMethod, restrictKeys } from '../policy/rules.ts';
import { InfrastructureKeys } from './infrastructure-keys.ts';
import type { Machine } from './machine.ts';
import { MachineIndex } from './machine-index.ts';

/** A node that showed an endorsement key. */
interface ProvedNode {
  readonly namespace: string;
  readonly name: string;
  /** The UID of the Machine that it is. */
  readonly uid: string;
  readonly instance: string;
  readonly by: 'tpm' | 'firstUse';
}

/** Of many Machines that name one TPM. */
const MOST_NAMED = 5;
/** Reading an object takes that long at most, unless the API server is in trouble. */
const UNREAD_MS = 2_000;

/** An endorsement key that several Machines name. */
export interface ContestedKey {
  readonly key: string;
  /** The Machine that it has proved, which keeps it; undefined where the key is none's. */
  readonly holder: Machine | undefined;
  /** The other Machines that name it. */
  readonly others: readonly Machine[];
}

/** All Machines, found by name, UID or provider ID in constant time. */
export class MachineDirectory implements MachineFinder {
  readonly #byKey = new Map<string, Machine>();
  readonly #byUid = new Map<string, Machine>();
  readonly #byEndorsementKey = new MachineIndex();
  /** By namespace and provider ID. Two clusters of a namespace may use the same one twice. */
  readonly #byProviderId = new MachineIndex();

  /** Nodes that showed an endorsement key, by that key; and the key by node. */
  readonly #proved = new Map<string, ProvedNode>();
  readonly #keyOfNode = new Map<string, string>();
  /** What the Machines must prove. */
  readonly policies = new PolicySet();
  /** What their infrastructure objects say of their TPMs. */
  readonly infrastructure = new InfrastructureKeys();

  readonly #contested: (contest: ContestedKey) => void;
  readonly #isMoving: (machine: Machine) => boolean;

  /**
   * @param contested called, as often as it is seen, where several Machines name one key
   * @param isMoving whether nothing is to be written of a Machine's machine now, because somebody may be moving it
   */
  constructor(
    contested: (contest: ContestedKey) => void = () => {},
    isMoving: (machine: Machine) => boolean = () => false,
  ) {
    this.#contested = contested;
    this.#isMoving = isMoving;
  }

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

  /**
   * The Machine that a machine with this TPM can be: the one that names its key, by annotation, by that of its infrastructure
   * object, or in a policy; else, where a policy takes the first that comes, the one that it says it is, unless it could be several.
   *
   * @throws Refused if several Machines name the key, or an infrastructure object does and its Machine another one
   */
  byTpm(
    key: string,
    identity: Pick<MachineIdentity, 'instance' | 'providerID' | 'hostname'>,
  ): { namespace: string; uid: string; byFirstUse: boolean } | undefined {
    const named = new Set(this.#byEndorsementKey.get(key));
    const claimed = new Set<Machine>();
    const overruled = this.#namedByInfrastructure(key, named);
    for (const policy of this.policies.all()) {
      const { namespace, selector } = policy;
      const ofKey = this.byName(namespace, policy.machines.get(key) ?? '');
      if (ofKey && this.keyOf(ofKey) === key) named.add(ofKey);
      const match = policy.firstUse ? this.match({ namespace, selector }, identity) : undefined;
      if (match && this.#isFirstUse(match.machine)) claimed.add(match.machine);
    }
    if (named.size === 0 && overruled) throw disagreement(overruled, key);
    const known = this.byUid(this.#proved.get(key)?.uid ?? '');
    if (named.size === 0 && known && this.#isFirstUse(known))
      return { namespace: known.namespace, uid: known.uid, byFirstUse: true };
    const holder = this.#holderOf(key);
    const others = [...named].filter((one) => one !== holder);
    const isKept = holder && others.every(({ namespace }) => namespace !== holder.namespace);
    if (isKept && !this.#isMoved(key, holder, others, identity)) {
      if (others.length > 0) this.#contested({ key, holder, others });
      return { namespace: holder.namespace, uid: holder.uid, byFirstUse: !named.has(holder) };
    }
    const rivals = isKept ? [holder, ...others] : [...named];
    if (rivals.length > 1) {
      this.#contested({ key, holder: undefined, others: rivals });
      throw severalName(key, rivals);
    }
    const [one, ...more] = named.size > 0 ? named : claimed;
    return one && more.length === 0
      ? { namespace: one.namespace, uid: one.uid, byFirstUse: named.size === 0 }
      : undefined;
  }

  /**
   * The Machine that this key has proved, as long as it may still be this one: it names the key, or took it as the first of those
   * that its policies trust. Whoever may annotate Machines of another namespace takes nothing from it. Who came first with
   * a key that nobody vouches for holds nothing against a name.
   */
  #holderOf(key: string): Machine | undefined {
    const proved = this.#proved.get(key);
    const known = proved?.by === 'tpm' ? this.byUid(proved.uid) : undefined;
    if (!known || known.deleting) return undefined;
    return this.keyOf(known) === key || this.#isFirstUse(known) ? known : undefined;
  }

  /**
   * Is it installed anew, and says that it is one of the others, and not the holder? Then the hardware may be somebody else's, and
   * who had it before must not keep it; nor does one get it by a name.
   */
  #isMoved(
    key: string,
    holder: Machine,
    others: readonly Machine[],
    identity: Pick<MachineIdentity, 'instance' | 'providerID' | 'hostname'>,
  ): boolean {
    const says = (one: Machine): boolean =>
      this.match({ namespace: one.namespace }, identity)?.machine === one;
    return this.#proved.get(key)?.instance !== identity.instance && !says(holder) && others.some(says);
  }

  /** Tells of Machines that name a key which a Machine of another namespace holds, also before any machine comes. */
  lookForContest(key: string | undefined): void {
    const holder = key === undefined ? undefined : this.#holderOf(key);
    if (key === undefined || !holder) return;
    const others = this.#byEndorsementKey.get(key).filter(({ namespace }) => namespace !== holder.namespace);
    if (others.length > 0) this.#contested({ key, holder, others });
  }

  /** Adds the Machines of infrastructure objects that name the key. @returns one that names another key itself */
  #namedByInfrastructure(key: string, named: Set<Machine>): Machine | undefined {
    let overruled: Machine | undefined;
    for (const uid of this.infrastructure.uidsOf(key)) {
      const machine = this.byUid(uid);
      if (!machine) continue;
      if (this.keyOf(machine) === key) named.add(machine);
      else overruled = machine;
    }
    return overruled;
  }

  /** A node that showed an endorsement key is known by it from then on. */
  proved({ namespace, name, spec }: NodeRecord): void {
    const { machine, enrolment } = spec;
    const { endorsementKey: key } = enrolment;
    if ((machine?.by !== 'tpm' && machine?.by !== 'firstUse') || key === undefined) return;
    const node = `${namespace}/${name}`;
    if (this.#keyOfNode.get(node) !== key) this.forget(node);
    this.#proved.set(key, {
      ...{ namespace, name, uid: machine.uid },
      ...{ instance: spec.instance, by: machine.by },
    });
    this.#keyOfNode.set(node, key);
  }

  /** The node that showed this key last. */
  nodeOf(endorsementKey: string): ProvedNode | undefined {
    return this.#proved.get(endorsementKey);
  }

  /** @param node `namespace/name` */
  forget(node: string): void {
    const key = this.#keyOfNode.get(node) ?? '';
    const proved = this.#proved.get(key);
    // Its TPM may be another node's by now.
    if (`${proved?.namespace}/${proved?.name}` === node) this.#proved.delete(key);
    this.#keyOfNode.delete(node);
  }

  /** Named by its annotation, which counts first, by its infrastructure object, or by a policy. */
  keyOf(machine: Machine): string | undefined {
    const annotated = machine.endorsementKey ?? this.infrastructure.of(machine.uid);
    if (annotated !== undefined) return annotated;
    const named = this.policiesOf(machine).map(({ keys }) => keys.get(machine.name));
    return named.find((key) => key !== undefined);
  }

  policiesOf(machine: Machine): readonly IdentityPolicy[] {
    return this.policies.of(machine);
  }

  #isFirstUse(machine: Machine): boolean {
    const policies = this.policiesOf(machine);
    return (
      this.keyOf(machine) === undefined && policies.length > 0 && policies.every(({ firstUse }) => firstUse)
    );
  }

  /** Do its policies take none but listed or certified keys? Who comes by one of these is held against them. */
  #vouches(machine: Machine | undefined): boolean {
    return machine !== undefined && restrictKeys(this.policiesOf(machine));
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
      byFirstUse = false,
    }: Pick<Claim, 'namespace' | 'machineUid' | 'selector' | 'endorsementKey' | 'byFirstUse'>,
    { providerID, hostname }: Pick<MachineIdentity, 'providerID' | 'hostname'>,
  ): { machine: Machine; by: TieKind } | undefined {
    if (machineUid !== undefined) {
      const machine = this.#byUid.get(machineUid);
      if (endorsementKey === undefined) return found(machine, 'token');
      return found(machine, byFirstUse && !this.#vouches(machine) ? 'firstUse' : 'tpm');
    }
    const same = this.#byProviderId.get(providerKey(namespace, providerID));
    const [byId, ...more] = same.filter((machine) => isSelected(selector, machine));
    if (byId && more.length === 0) return { machine: byId, by: 'providerID' };
    const name = hostname.toLowerCase();
    const byName = this.byName(namespace, name) ?? this.byName(namespace, name.split('.')[0] ?? '');
    return found(byName, 'name');
  }

  find(claim: Claim, identity: MachineIdentity): FoundMachine | undefined {
    const match = this.match(claim, identity);
    if (!match) return undefined;
    const { machine, by } = match;
    const { name, namespace, uid, apiVersion, nodeName } = machine;
    if (this.isUnread(machine))
      throw new Refused(
        'slow-down',
        `the infrastructure object of Machine ${namespace}/${name} was not read yet`,
        {
          retryAfterMs: UNREAD_MS,
        },
      );
    if (this.#isMoving(machine)) throw unsettledRefusal(`${namespace}/${name}`);
    const why = this.whyNot(machine, by, claim);
    if (why !== undefined) throw new Refused('unauthorized', `Machine ${namespace}/${name} ${why}`);
    return {
      namespace,
      tie: { name, uid, by },
      owner: { apiVersion, name, uid },
      nodeName,
    };
  }

  /** Its infrastructure object may name a TPM, and nobody knows yet. */
  isUnread({ uid, endorsementKey }: Machine): boolean {
    return endorsementKey === undefined && this.infrastructure.isAwaited(uid);
  }

  /** True for a node whose Machine was there and is not any more. */
  isGone({ machine }: NodeSpec): boolean {
    return machine !== undefined && !this.#byUid.has(machine.uid);
  }

  /** Somebody may be moving its Machine: what is written now may be left behind. */
  isMoving({ machine: tie }: NodeSpec): boolean {
    const machine = tie && this.#byUid.get(tie.uid);
    return machine !== undefined && this.#isMoving(machine);
  }

  objection({ machine: tie, enrolment }: NodeSpec): string | undefined {
    const machine = tie && this.#byUid.get(tie.uid);
    if (!tie) return undefined;
    const why = machine
      ? this.whyNot(machine, tie.by, { endorsementKey: enrolment.endorsementKey })
      : 'is gone';
    return why && `Machine ${tie.name} ${why}`;
  }

  wantsProof({ machine: tie }: NodeSpec): boolean {
    const machine = tie?.by === 'tpm' || tie?.by === 'firstUse' ? this.#byUid.get(tie.uid) : undefined;
    return machine !== undefined && this.policiesOf(machine).length > 0;
  }

  /** Why a node that claims or proves to be this Machine cannot be it; undefined if it can. */
  whyNot(machine: Machine, by: TieKind, proved: Proved = {}): string | undefined {
    const key = this.keyOf(machine);
    if (machine.deleting) return 'is being deleted';
    const isByToken = by === 'token' || by === 'lateToken';
    if (key !== undefined && key !== proved.endorsementKey && !(isByToken && this.#hasFallback(machine)))
      return 'takes only the machine with the TPM that is named for it';
    const policies = this.policiesOf(machine);
    const way = wayOf(by, { isNamed: key !== undefined, isGoverned: policies.length > 0 });
    const demanded = refusedMethod(policies, way);
    if (demanded !== undefined) return demanded;
    if (way !== 'claim') return undefined;
    if (machine.wantsToken) return 'takes its own token only, and no claim by a pool';
    const { selector = {} } = proved;
    return isSelected(selector, machine)
      ? undefined
      : `is not what the token is for: ${selectorText(selector)}`;
  }

  /** Every policy of it lets a token in. */
  #hasFallback(machine: Machine): boolean {
    const policies = this.policiesOf(machine);
    return policies.length > 0 && refusedMethod(policies, 'token') === undefined;
  }
}

/** @param of whether the Machine names the key that was shown, and whether a policy selects it */
function wayOf(by: TieKind, of: { isNamed: boolean; isGoverned: boolean }): EnrolmentMethod {
  if (by === 'lateToken') return 'token';
  if (by !== 'firstUse') return by === 'tpm' || by === 'token' ? by : 'claim';
  if (of.isNamed) return 'tpm';
  // Where no policy allows a first use any more, it is worth as much as a claim.
  return of.isGoverned ? 'firstUse' : 'claim';
}

function disagreement({ namespace, name, endorsementKey, infrastructure }: Machine, key: string): Refused {
  const object = `${infrastructure?.kind} ${infrastructure?.name}`;
  return new Refused(
    'unauthorized',
    `Machine ${namespace}/${name} names ${endorsementKey} itself; that its ${object} names ${key} does not count`,
  );
}

function severalName(key: string, machines: readonly Machine[]): Refused {
  const some = machines.slice(0, MOST_NAMED).map(keyOf).join(', ');
  const more = machines.length > MOST_NAMED ? ` and ${machines.length - MOST_NAMED} more` : '';
  return new Refused('unauthorized', `${key} is nobody's, because several Machines name it: ${some}${more}`);
}

/** What a node brings along. */
type Proved = { [K in 'selector' | 'endorsementKey']?: Claim[K] | undefined };

function found(machine: Machine | undefined, by: TieKind): { machine: Machine; by: TieKind } | undefined {
  return machine && { machine, by };
}

function keyOf({ namespace, name }: Machine): string {
  return `${namespace}/${name}`;
}

function providerKey(namespace: string, providerID: string | undefined): string | undefined {
  return providerID === undefined ? undefined : `${namespace} ${providerID}`;
}
