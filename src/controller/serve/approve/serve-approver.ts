import { hostname } from 'node:os';
import { Approver, type ApproverParts } from '../../approve/approver.ts';
import type { Member } from '../../approve/member.ts';
import { warnOfOtherApprovers } from '../../approve/other-approvers.ts';
import { Workloads } from '../../approve/workloads.ts';
import { KubeClient } from '../../kube/client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { findAccess } from '../../kube/kubeconfig.ts';
import { type Log, reason } from '../../log.ts';
import { EventRecorder } from '../../machines/event-recorder.ts';
import { findMachineVersion } from '../../machines/machine.ts';
import { ApproverMetrics } from '../../web/approver-metrics.ts';
import { Gauge } from '../../web/registry.ts';
import { AdminServers } from '../admin.ts';
import { memoryGauges } from '../free-memory.ts';
import type { ApproveSettings } from '../settings.ts';
import { MemberWatch } from './member-watch.ts';

/** Somewhere that requests are decided. */
interface Deciding {
  want(cluster: string): void;
  drop(cluster: string): Promise<void>;
  lookAgain(cluster: string, nodes: readonly string[]): void;
  stop(): Promise<void>;
  /** Clusters whose requests are followed, and requests that have to wait. */
  readonly clusters: number;
  readonly waiting: number;
}

/**
 * Approves and denies certificate requests of kubelets, in one cluster or in all that have Machines here. Nobody can ask it
 * for anything but metrics and probes, and it needs no other replica to agree with.
 *
 * @returns ends it
 */
export async function approve(settings: ApproveSettings, log: Log): Promise<() => Promise<void>> {
  const { cluster, adminListen, probeListen } = settings;
  const metrics = new ApproverMetrics();
  let why: string | undefined = 'Machines, NodeBootstraps and policies are not listed yet';
  const admin = new AdminServers(metrics, () => why);
  // The probes answer before anything is read, so that an approver that cannot reach its cluster says so.
  if (probeListen) log.info('answers probes', { probePort: await admin.serveProbes(probeListen) });
  if (adminListen) log.info('tells metrics', { adminPort: await admin.serveMetrics(adminListen) });
  const client = new KubeClient(accessTo(settings.kubeconfig));
  const version = await findMachineVersion(client);
  const recorder = new EventRecorder(client, hostname());
  const watch: MemberWatch = new MemberWatch({
    ...{ client, version, log, namespace: cluster?.key.split('/')[0] },
    trouble: (collection, error, retryInMs) => {
      metrics.watchTroubles.add({ collection });
      const isSilence = error instanceof KubeError && error.reason === 'Silent';
      log[isSilence ? 'debug' : 'warn']('a watch ended and begins again', {
        ...{ collection, reason: reason(error), retryInMs },
      });
    },
    want: (key) => deciding.want(key),
    drop: (key) => void deciding.drop(key),
    lookAgain: (key, nodes) => deciding.lookAgain(key, nodes),
  });
  const { members, directory } = watch;
  const common = {
    ...{ members, directory, log, rules: settings.rules },
    refresh: (member: Member) => watch.refresh(member),
    denied: (member: Member, message: string): void => {
      const event = { type: 'Warning', reason: 'CertificateDenied', message } as const;
      recorder.record(member, event).catch((error: unknown) => {
        log.warn('an Event could not be written', { machine: member.name, reason: reason(error) });
      });
    },
    decided: (decision: 'approved' | 'denied', ageMs: number): void => {
      metrics.decisions.add({ decision });
      metrics.latency.observe(ageMs / 1000);
    },
  };
  const deciding: Deciding = cluster
    ? one(cluster.key, new KubeClient(accessTo(cluster.kubeconfig)), common)
    : new Workloads({
        ...common,
        home: client,
        suffix: settings.suffix,
        allowed: { proxies: settings.allowedProxies },
      });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    metrics.add(new Gauge(name, help, () => [{ value: read() }]));
  gauge('slipway_machines', 'Machines known.', () => directory.size);
  gauge('slipway_approver_clusters', 'Clusters whose requests are followed.', () => deciding.clusters);
  gauge('slipway_certificate_requests_waiting', 'Requests put off.', () => deciding.waiting);
  for (const memory of memoryGauges()) metrics.add(memory);
  await watch.start();
  if (cluster) deciding.want(cluster.key);
  why = undefined;
  return async () => {
    admin.close();
    await Promise.all([watch.stop(), deciding.stop()]);
    client.close();
  };
}

/** Another cluster's Machines are of no concern. */
function one(
  key: string,
  client: KubeClient,
  common: Omit<ApproverParts, 'client' | 'cluster' | 'trouble'>,
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
      void warnOfOtherApprovers(client, key, common.log);
    },
    drop: async () => undefined,
    lookAgain: (cluster, names) => cluster === key && approver.lookAgain(names),
    stop: () => approver.stop(),
    get clusters() {
      return Number(begun);
    },
    get waiting() {
      return approver.waiting;
    },
  };
}

function accessTo(path: string | undefined) {
  return findAccess(path === undefined ? {} : { path });
}
