import type { HolderParts } from '../attest/holders.ts';
import { Judge, type JudgeParts } from '../attest/judge.ts';
import { ChainThread } from '../chains/chain-thread.ts';
import type { KubeClient } from '../kube/client.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { FailedProofs } from '../proofs/failed-proofs.ts';
import { writeTie } from '../proofs/retie.ts';
import { StoredCounters } from '../proofs/stored-counters.ts';
import { writeAdmission } from '../store/admission.ts';
import { KeyHolders } from '../store/key-holders.ts';
import type { MachineIdentities } from '../store/machine-identities.ts';
import type { Store } from '../store/store.ts';
import type { WriteBudget } from '../store/write-budget.ts';
import type { Management } from './management.ts';

interface JudgingParts {
  readonly client: KubeClient;
  /** The controller's own. */
  readonly namespace: string;
  readonly management: Management;
  readonly store: Store;
  readonly identities: MachineIdentities;
  readonly budget: WriteBudget;
}

/** Puts together what holds proofs against policies in a management cluster. */
export function createJudge({
  client,
  namespace,
  management,
  store,
  identities,
  budget,
}: JudgingParts): Judge {
  const { directory, alarms, attested } = management;
  const policiesOf: JudgeParts['policiesOf'] = (uid) => {
    const machine = directory.byUid(uid);
    return machine ? directory.policiesOf(machine) : [];
  };
  const nodeOf = (key: string, uid: string) => {
    const node = directory.nodeOf(key);
    return node?.uid === uid ? node : undefined;
  };
  const failed = new FailedProofs({
    ...{ client, store, alarms, attested },
    isHolder: (key, uid) => nodeOf(key, uid) !== undefined,
    isGoverned: (uid) => policiesOf(uid).length > 0,
    changed: (record) => management.recordStored(record),
  });
  return new Judge({
    policiesOf,
    madeAt: (uid) => directory.byUid(uid)?.madeAt ?? 0,
    otherOf: (found, identity) => {
      const claimed = directory.match({ namespace: found.namespace }, identity)?.machine;
      return claimed && claimed.uid !== found.owner.uid ? claimed : undefined;
    },
    ...{ store, identities, chains: new ChainThread() },
    holders: new KeyHolders(client, namespace, (uid) => directory.byUid(uid) !== undefined),
    counters: new StoredCounters({ client, budget, store, nodeOf }),
    failed: (...of) => failed.failed(...of),
  });
}

/** Its proof failed once, and holds now. Who waited for somebody's word waits on. */
export async function readmit(
  client: KubeClient,
  management: Management,
  record: NodeRecord,
): Promise<NodeRecord | undefined> {
  const state = record.spec.admission?.waits ? 'Pending' : 'Admitted';
  const after = await writeAdmission(client, record, { state, at: new Date().toISOString() });
  if (after) management.recordStored(after);
  return after;
}

/** Somebody has come to vouch for its endorsement key, or no longer does. */
export async function retie(
  client: KubeClient,
  management: Management,
  ...[record, ...to]: Parameters<NonNullable<HolderParts['retie']>>
): Promise<NodeRecord | undefined> {
  const after = await writeTie(client, record, ...to);
  if (after) management.recordStored(after);
  return after;
}
