import { hostname } from 'node:os';
import { Approver } from '../approve/approver.ts';
import { type AddressedMachine, type Member, readMember } from '../approve/member.ts';
import { clusterOf, Members } from '../approve/members.ts';
import { tellOfOthers } from '../approve/others.ts';
import { Workloads } from '../approve/workloads.ts';
import { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import { findAccess } from '../kube/kubeconfig.ts';
import { type Log, reason } from '../log.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { EventRecorder } from '../machines/event-recorder.ts';
import { findMachineVersion, machinesPath } from '../machines/machine.ts';
import { PolicyWatch } from '../proofs/policy-watch.ts';
import { collectionPath, type NodeBootstrap, objectPath, recordOf } from '../store/node-bootstrap.ts';
import type { ApproveSettings } from './settings.ts';

/** Somewhere that requests are decided. */
interface Deciding {
  want(cluster: string): void;
  drop(cluster: string): Promise<void>;
  lookAgain(cluster: string, nodes: readonly string[]): void;
  stop(): Promise<void>;
}

/**
 * Approves and denies certificate requests of kubelets, in one cluster or in all that have Machines here. It listens to
 * nobody, and needs no other replica to agree with.
 *
 * @returns ends it
 */
export async function approve(settings: ApproveSettings, log: Log): Promise<() => Promise<void>> {
  const { cluster } = settings;
  const client = new KubeClient(accessTo(settings.kubeconfig));
  const version = await findMachineVersion(client);
  const namespace = cluster?.key.split('/')[0];
  const directory = new MachineDirectory();
  const members = new Members(directory);
  const recorder = new EventRecorder(client, hostname());
  const trouble = (error: Error, retryInMs: number): void => {
    const isSilence = error instanceof KubeError && error.reason === 'Silent';
    log[isSilence ? 'debug' : 'warn']('a watch ended and begins again', { reason: reason(error), retryInMs });
  };
  const common = {
    ...{ members, directory, log, rules: settings.rules },
    refresh: async ({ namespace: of, name }: Member): Promise<void> => {
      const machine = await found<AddressedMachine>(client, `${machinesPath(version, of)}/${name}`);
      if (machine) put(machine);
      else count(members.remove(`${of}/${name}`), -1);
      const node = await found<NodeBootstrap>(client, objectPath(of, name));
      if (node) members.held(recordOf(node));
      else members.released(`${of}/${name}`);
    },
    denied: (member: Member, message: string): void => {
      const event = { type: 'Warning', reason: 'CertificateDenied', message } as const;
      recorder.record(member, event).catch((error: unknown) => {
        log.warn('an Event could not be written', { machine: member.name, reason: reason(error) });
      });
    },
  };
  const deciding: Deciding = cluster
    ? one(cluster.key, new KubeClient(accessTo(cluster.kubeconfig)), common)
    : new Workloads({ ...common, home: client, suffix: settings.suffix });
  /** Machines by Cluster. */
  const counts = new Map<string, number>();
  let isKnown = false;
  const count = (member: Member | undefined, by: 1 | -1): void => {
    if (!member) return;
    const key = clusterOf(member);
    const left = (counts.get(key) ?? 0) + by;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
    if (isKnown && by === 1) deciding.want(key);
    if (left === 0) void deciding.drop(key);
  };
  const put = (object: AddressedMachine): Member => {
    const member = readMember(object, version);
    const before = members.put(member);
    count(member, 1);
    count(before, -1);
    return member;
  };
  const lookAgain = (member: Member | undefined): void => {
    if (isKnown && member) deciding.lookAgain(clusterOf(member), members.namesOf(member));
  };
  const listed = { machines: Promise.withResolvers<void>(), nodes: Promise.withResolvers<void>() };
  const machines = new Informer<AddressedMachine>(client, machinesPath(version, namespace), {
    changed: (object) => lookAgain(put(object)),
    gone: (key) => count(members.remove(key), -1),
    listed: () => listed.machines.resolve(),
    trouble,
  });
  const nodes = new Informer<NodeBootstrap>(
    client,
    collectionPath(namespace),
    {
      changed: (object) => {
        const record = recordOf(object);
        members.held(record);
        lookAgain(members.byUid(record.spec.machine?.uid));
      },
      gone: (key) => lookAgain(members.released(key)),
      listed: () => listed.nodes.resolve(),
      trouble: (error, retryInMs) => {
        // Where Slipway's own objects are not installed, nobody demands a proof.
        if (isStatus(error, 404)) listed.nodes.resolve();
        else trouble(error, retryInMs);
      },
    },
    { pageSize: 100 },
  );
  const policies = new PolicyWatch({
    ...{ client, book: directory.policies, log, namespace },
    trouble: (error, retryInMs) => (isStatus(error, 404) ? undefined : trouble(error, retryInMs)),
  });
  machines.start();
  nodes.start();
  await Promise.all([listed.machines.promise, listed.nodes.promise, policies.start()]);
  isKnown = true;
  for (const key of cluster ? [cluster.key] : counts.keys()) deciding.want(key);
  return async () => {
    await Promise.all([machines.stop(), nodes.stop(), policies.stop(), deciding.stop()]);
    client.close();
  };
}

/** Another cluster's Machines are of no concern. */
function one(
  key: string,
  client: KubeClient,
  common: Omit<ConstructorParameters<typeof Approver>[0], 'client' | 'cluster' | 'trouble'>,
): Deciding {
  const approver = new Approver({
    ...{ ...common, client, cluster: key },
    trouble: (error) =>
      common.log.warn('certificate requests cannot be followed', { cluster: key, reason: reason(error) }),
  });
  let begun = false;
  return {
    want: (cluster) => {
      if (begun || cluster !== key) return;
      begun = true;
      approver.start();
      void tellOfOthers(client, key, common.log);
    },
    drop: async () => undefined,
    lookAgain: (cluster, names) => cluster === key && approver.lookAgain(names),
    stop: () => approver.stop(),
  };
}

/** @returns undefined where there is none of that name */
async function found<T>(client: KubeClient, path: string): Promise<T | undefined> {
  try {
    return await client.request<T>('GET', path);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function accessTo(path: string | undefined) {
  return findAccess(path === undefined ? {} : { path });
}
