import { createHash } from 'node:crypto';
import type { MachineIdentity } from '../../protocol/events.ts';
import { WANTS_NODE } from '../../protocol/exchange.ts';
import type { MachineTie, NodeRecord, NodeSpec, TieKind } from '../model/node-record.ts';
import type { MachineIdentities } from '../store/machine-identities.ts';
import { type Owner, type Store, StoreBusy } from '../store/store.ts';
import type { Claim } from './attestor.ts';
import { admissionRefusal, type Judge } from './judge.ts';
import type { FoundMachine, MachineFinder } from './machine-finder.ts';
import { Refused, type RefusedOptions } from './refused.ts';

export interface HolderParts {
  readonly store: Store;
  /** Absent if there are no Machines. */
  readonly ties?: MachineFinder;
  /** Holds proofs against policies; absent if there are no Machines. */
  readonly judge?: Pick<Judge, 'judge'>;
  /** Whose token was used; absent if there are no Machines. */
  readonly proofs?: Pick<MachineIdentities, 'of' | 'spend'>;
  /** The node that enrolled with this key, if there is one. */
  readonly nodeOfKey: (keyDigest: string) => { namespace: string; name: string } | undefined;
  /** Writes how a node's Machine is known now; undefined if somebody wrote meanwhile. Absent if there are no Machines. */
  readonly retie?: (
    node: NodeRecord,
    machine: MachineTie,
    enrolment: NodeSpec['enrolment'],
  ) => Promise<NodeRecord | undefined>;
  /** Called with each node that was made, before its machine has an answer. */
  readonly created?: (record: NodeRecord) => void;
  /** Called with a node whose place was given to one with a better proof. */
  readonly replaced?: (before: NodeRecord, after: NodeRecord) => void;
}

/** Others may write between reading and writing; more often than this is no accident. */
const MAX_TRIES = 4;

/**
 * Who holds a Machine. There is one place for it, the node with the Machine's own name, and the store makes a
 * name once: of two that come at the same moment, whatever the replicas, one gets it. It stays with the first
 * unless a better proof comes. A proof (the Machine's token) takes the place from a claim (a pool's token and
 * a provider ID or a name), and a Machine takes the place from a node that only happens to have its name.
 */
export class Holders {
  readonly #parts: HolderParts;
  readonly #inWork = new Set<string>();

  constructor(parts: HolderParts) {
    this.#parts = parts;
  }

  /**
   * Makes the node for this key, or finds it where the same machine asks again, because its answer was lost or it proves
   * itself anew.
   *
   * @param binding of the certificate that the machine has already
   * @throws Refused, StoreBusy
   */
  async admit(
    claim: Claim,
    machine: MachineIdentity,
    made: Pick<NodeSpec, 'keyDigest' | 'certificate'>,
    binding?: string,
  ): Promise<NodeRecord> {
    const { keyDigest } = made;
    if (this.#inWork.has(keyDigest)) {
      throw new Refused('slow-down', 'this key is enrolling already', { retryAfterMs: 1_000 });
    }
    this.#inWork.add(keyDigest);
    try {
      return await this.#admit(claim, machine, made, binding);
    } finally {
      this.#inWork.delete(keyDigest);
    }
  }

  /** Would the claim be admitted, as far as can be said without making a node? @throws Refused, StoreBusy */
  async examine(claim: Claim, machine: MachineIdentity): Promise<void> {
    const { found } = this.#find(claim, machine);
    const late = await this.#isLate(claim, found, undefined);
    if (late) throw late;
  }

  #find(claim: Claim, machine: MachineIdentity): { found: FoundMachine | undefined; name: string } {
    const found = asLate(claim, this.#parts.ties?.find(claim, machine));
    const name = found?.tie.name ?? claim.nodeName ?? untiedName(machine);
    if (claim.nodeName !== undefined && name !== claim.nodeName) {
      throw new Refused('unauthorized', `the token is for ${claim.nodeName}, and this is ${name}`);
    }
    return { found, name };
  }

  async #admit(
    claim: Claim,
    machine: MachineIdentity,
    made: Pick<NodeSpec, 'keyDigest' | 'certificate'>,
    binding: string | undefined,
  ): Promise<NodeRecord> {
    const { found, name } = this.#find(claim, machine);
    const judged = found && (await this.#parts.judge?.judge(claim, machine, found));
    const namespace = found?.namespace ?? claim.namespace;
    const spec: NodeSpec = {
      instance: machine.instance,
      hostname: machine.hostname,
      ...(machine.providerID === undefined ? {} : { providerID: machine.providerID }),
      ...made,
      enrolment: enrolmentOf(claim, found, judged?.policies),
      ...(claim.counters === undefined ? {} : { counters: claim.counters }),
      ...(judged?.isPending ? { admission: { state: 'Pending', at: new Date().toISOString() } } : {}),
      ...(found ? { machine: found.tie } : {}),
    };
    const again =
      binding === undefined ? undefined : await this.#provedAgain({ namespace, name }, spec, binding);
    if (again) return again;
    const same = await this.#sameKey(spec, { namespace, name });
    if (same) return same;
    const late = await this.#isLate(claim, found, made.keyDigest);
    if (late) return await this.#onlyAgain(namespace, name, spec, late);
    const node = await this.#create(claim, { namespace, name }, spec, found?.owner);
    await this.#spend(claim, found, node);
    return node;
  }

  /** The node of a machine that has a certificate and shows by its TPM, with a new key, that it is still the same. */
  async #provedAgain(
    { namespace, name }: { namespace: string; name: string },
    { instance, machine, enrolment }: NodeSpec,
    binding: string,
  ): Promise<NodeRecord | undefined> {
    if (!machine || !showsKey(machine)) return undefined;
    const holder = await this.#parts.store.find(namespace, name);
    const known = holder?.spec;
    const isSameMachine =
      known?.keyDigest === binding && known.instance === instance && known.machine?.uid === machine.uid;
    if (!isSameMachine || known.enrolment.endorsementKey !== enrolment.endorsementKey) return undefined;
    if (known.machine?.by === machine.by) return holder;
    // Somebody has come to vouch for its key, or does so no longer.
    const after = await this.#parts.retie?.(holder as NodeRecord, machine, enrolment);
    if (after) return after;
    throw new StoreBusy(`${namespace}/${name} is being written by others`);
  }

  /** Why only the machine that holds it already may come. */
  async #isLate(
    claim: Claim,
    found: FoundMachine | undefined,
    keyDigest: string | undefined,
  ): Promise<Refused | undefined> {
    if (!found) return undefined;
    const { nodeName, namespace, owner, tie } = found;
    const { epoch, machineUid, endorsementKey } = claim;
    // Whatever could be copied from the machine may have been by now. Its TPM could not.
    if (nodeName !== undefined && endorsementKey === undefined && tie.by !== 'lateToken') {
      const why = `Machine ${namespace}/${owner.name} has its Node already`;
      return new Refused('unauthorized', why, machineUid === undefined ? {} : lateWords(claim, nodeName));
    }
    const proofs = epoch === undefined ? undefined : await this.#parts.proofs?.of(namespace, owner.uid);
    if (epoch === undefined || !proofs || proofs.epoch <= epoch) return undefined;
    const isByAnother = keyDigest === undefined ? undefined : proofs.keyDigest !== keyDigest;
    return usedAlready(found, isByAnother);
  }

  /** The token counts no longer, whatever becomes of the node. */
  async #spend({ epoch }: Claim, found: FoundMachine | undefined, node: NodeRecord): Promise<void> {
    const { proofs, store } = this.#parts;
    if (epoch === undefined || !found || !proofs) return;
    const { namespace, owner } = found;
    if (await proofs.spend(namespace, owner, epoch, node.spec.keyDigest)) return;
    await store.remove(node);
    throw usedAlready(found, true);
  }

  /** One key is one node. @returns the node, if the same machine asks again */
  async #sameKey(
    spec: NodeSpec,
    wanted: { namespace: string; name: string },
  ): Promise<NodeRecord | undefined> {
    const known = this.#parts.nodeOfKey(spec.keyDigest);
    if (!known || (known.namespace === wanted.namespace && known.name === wanted.name)) return undefined;
    const record = await this.#parts.store.find(known.namespace, known.name);
    if (record?.spec.keyDigest !== spec.keyDigest) return undefined;
    const where = `${record.namespace}/${record.name}`;
    if (record.spec.instance !== spec.instance || isProved(record.spec)) {
      throw new Refused('forbidden', `the key is that of ${where}; one key is one node`);
    }
    if (!isProved(spec)) return record;
    // It claimed before, and proves now.
    if (!(await this.#parts.store.remove(record))) throw new StoreBusy(`${where} is being written`);
    return undefined;
  }

  async #onlyAgain(namespace: string, name: string, spec: NodeSpec, why: Refused): Promise<NodeRecord> {
    const known = await this.#parts.store.find(namespace, name);
    if (known && isSame(known.spec, spec)) return known;
    if (known?.spec.keyDigest === spec.keyDigest)
      throw new Refused('forbidden', `the key is that of ${namespace}/${name}, as another instance`, {
        ...{ words: OTHER_INSTANCE, isProved: true },
      });
    throw why;
  }

  /** A use of the token is counted before the node is made, and given back where none is made. */
  async #create(
    { use }: Claim,
    names: { namespace: string; name: string },
    spec: NodeSpec,
    owner?: Owner,
  ): Promise<NodeRecord> {
    await use?.take();
    let isMade = false;
    try {
      const { node, made } = await this.#place(names, spec, owner);
      isMade = made;
      return node;
    } finally {
      if (!isMade) use?.giveBack();
    }
  }

  async #place(
    { namespace, name }: { namespace: string; name: string },
    spec: NodeSpec,
    owner?: Owner,
  ): Promise<{ node: NodeRecord; made: boolean }> {
    const { store, created, replaced } = this.#parts;
    let gone: NodeRecord | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const node = await store.create(namespace, name, spec, owner);
      if (node) {
        created?.(node);
        if (gone) replaced?.(gone, node);
        return { node, made: true };
      }
      const holder = await store.find(namespace, name);
      if (!holder) continue;
      if (isSame(holder.spec, spec)) return { node: holder, made: false };
      // A machine does not leave its quarantine by being installed anew.
      const barred =
        holder.spec.admission?.state === 'Quarantined' && admissionRefusal(holder.spec.admission);
      if (barred) throw barred;
      if (!outranks(spec, holder.spec)) {
        throw new Refused(
          'unauthorized',
          `${namespace}/${name} has enrolled already, with another key; to let a rebuilt machine enrol, delete its NodeBootstrap`,
        );
      }
      if (await store.remove(holder)) gone = holder;
    }
    throw new StoreBusy(`${namespace}/${name} is being written by others all the time`);
  }
}

/** What is kept of how a machine came. @param policies those that it was held against */
export function enrolmentOf(
  { method, token, selector, endorsementKey, ...shown }: Claim,
  found: FoundMachine | undefined,
  policies: readonly string[] | undefined,
): NodeSpec['enrolment'] {
  const isFirstUse = found?.tie.by === 'firstUse';
  // What a key signed that nobody vouches for says nothing of a boot.
  const registers = isFirstUse ? undefined : shown.registers;
  const measured = isFirstUse ? undefined : shown.boot?.measured;
  return {
    method: found?.tie.by === 'lateToken' ? 'late-token' : isFirstUse ? 'first-use' : method,
    at: new Date().toISOString(),
    ...(token === undefined ? {} : { token }),
    ...(selector === undefined ? {} : { selector }),
    ...(endorsementKey === undefined ? {} : { endorsementKey }),
    ...(registers === undefined ? {} : { registers }),
    ...(measured === undefined ? {} : { measured }),
    ...(policies === undefined ? {} : { policies }),
  };
}

/** A machine that comes when its Machine has a Node, and shows that it is that Node. */
function asLate(claim: Claim, found: FoundMachine | undefined): FoundMachine | undefined {
  if (found?.nodeName === undefined || found.tie.by !== 'token' || !claim.lateProof?.isShown) return found;
  if (claim.lateProof.objection(found.nodeName) !== undefined) return found;
  return { ...found, tie: { ...found.tie, by: 'lateToken' } };
}

/** For the machine's own log: its token is genuine, and this is no fault of its node. */
function lateWords(claim: Claim, nodeName: string): RefusedOptions {
  const { lateProof } = claim;
  const objection = lateProof?.objection(nodeName);
  const how =
    lateProof === undefined
      ? NO_AUTHORITY
      : objection === undefined
        ? SHOW_NODE
        : `It did not show that it is that Node: ${objection}.`;
  return {
    ...{ words: `${HAS_NODE} ${how} ${BY_TPM}`, isProved: true, claim },
    ...(lateProof !== undefined && !lateProof.isShown ? { wants: WANTS_NODE } : {}),
  };
}

const HAS_NODE =
  'The Machine has its Node already. From then on its token alone does not count: somebody may have copied it. The node itself works as before; only its report is not accepted.';
const SHOW_NODE = "The token counts together with the kubelet's certificate of that Node.";
const NO_AUTHORITY =
  'This token does not say which authority signs the certificates of its cluster, so the machine cannot show that it is that Node. Start the reporter before kubeadm (slipway install --report).';
const BY_TPM =
  'A machine that proves itself by its TPM is accepted at any time (report.controller.tpm here, slipway.dev/endorsement-key on the Machine).';

/** @param isByAnother the token was used by another key than this machine's; undefined where that is not known */
function usedAlready({ namespace, owner }: FoundMachine, isByAnother: boolean | undefined): Refused {
  return new Refused('unauthorized', `the token of Machine ${namespace}/${owner.name} was used already`, {
    words: isByAnother === false ? USED_BEFORE : isByAnother ? USED_BY_ANOTHER : USED,
    isProved: true,
    claim: { namespace, machineUid: owner.uid },
    isSecondHolder: isByAnother ?? false,
  });
}

const ANEW =
  'If the token is in the Secret MACHINE-slipway-token, delete that, and the controller makes another one. If it came with the bootstrap data (slipway-controller webhook), create the Machine anew.';
const USED_BY_ANOTHER = `The token was used already, by another key. If this machine was not installed anew, somebody else has used the token. If it was, delete its NodeBootstrap. ${ANEW}`;
const OTHER_INSTANCE =
  'A machine with this key has enrolled as another instance: the disk was probably copied. Remove /var/lib/slipway from the image.';
const USED =
  'The token was used already. If that was this machine, it needs no token as long as it has its certificate.';
const USED_BEFORE = `This machine used the token before, and its NodeBootstrap was deleted since. ${ANEW}`;

function isSame(one: NodeSpec, other: NodeSpec): boolean {
  return one.keyDigest === other.keyDigest && one.instance === other.instance;
}

/** Is its Machine more than a claim of its own? */
function isProved({ machine }: NodeSpec): boolean {
  return machine !== undefined && (machine.by === 'token' || machine.by === 'lateToken' || showsKey(machine));
}

/** Has it an endorsement key, whoever vouches for that? */
function showsKey({ by }: MachineTie): boolean {
  return by === 'tpm' || by === 'firstUse';
}

/** May `next` take the place of `holder`? */
function outranks(next: NodeSpec, holder: NodeSpec): boolean {
  // Without Machines, a token for this one node wins over a pool's, whose node has the name by chance or on purpose.
  if (!next.machine) return next.enrolment.method === 'token' && holder.enrolment.method === 'pool-token';
  if (next.machine.uid !== holder.machine?.uid) return true;
  // The same TPM with a new key is the same machine, installed anew.
  if (showsKey(next.machine) && next.enrolment.endorsementKey === holder.enrolment.endorsementKey)
    return true;
  return STRENGTH[next.machine.by] > STRENGTH[holder.machine.by];
}

/** How sure a tie is: a TPM cannot be copied, a token can be, a key of first use is a claim that stays, and the rest is claimed anew. */
const STRENGTH: Readonly<Record<TieKind, number>> = {
  ...{ name: 0, providerID: 0 },
  ...{ firstUse: 1, lateToken: 1, token: 2, tpm: 3 },
};

/** A name for a node whose Machine is unknown: readable, and different for each instance. */
function untiedName({ hostname, instance }: MachineIdentity): string {
  const readable =
    hostname
      .toLowerCase()
      .split('.')[0]
      ?.replace(/[^a-z0-9-]+/g, '-') ?? '';
  const trimmed = readable.slice(0, 50).replace(/^-+|-+$/g, '') || 'node';
  return `${trimmed}-${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
}
