/**
 * Turns a node back into the machine that it was: it runs the real `kubeadm reset`, then removes what that
 * leaves of kubeadm, the kubelet, the network plugin and Slipway. It names but does not remove what others
 * may own.
 */
import { errorMessage } from '../../kit/errors.ts';
import { redact } from '../../secrets/redact.ts';
import { configureKubelet } from '../credential/kubelet-setup.ts';
import {
  CREDENTIAL_DIR,
  JOURNAL,
  OUTCOME,
  OUTCOME_ASIDE,
  RUN_DIR,
  SEALED_KEPT,
  SENTINEL,
} from '../document/paths.ts';
import { machineInstance } from '../engine/instance.ts';
import { Journal } from '../engine/journal.ts';
import { type Host, HostError } from '../host/host.ts';
import { certificateFiles, certificatesDirOf, kubeadmFiles } from '../kubeadm/config/kubeadm-files.ts';
import { KubeadmError } from '../kubeadm/kubeadm-error.ts';
import { clearAttempt, readAttempt } from '../kubeadm/repeat/attempt-note.ts';
import { removeOrphan } from '../kubeadm/repeat/etcd/membership.ts';
import { clearInventory } from '../kubeadm/repeat/inventory.ts';
import { kubeadmReset } from '../kubeadm/repeat/kubeadm-reset.ts';
import { configuredSocket, extractKubeadmError } from '../kubeadm/repeat/leftovers.ts';
import { clearSuccess } from '../kubeadm/repeat/success-marker.ts';
import { findRealKubeadm } from '../kubeadm/run/real-kubeadm.ts';
import { clearRun, findEarlierRun } from '../kubeadm/run/run-kubeadm.ts';
import { copiedKubeconfigs } from './kubeconfigs.ts';
import { findLeftovers, type Leftover } from './leftovers.ts';
import { CNI_DIR, readStateBefore, STATE_BEFORE_FILE } from './state-before.ts';

/** Files of kubelet and kubeadm in /var/lib/kubelet. kubeadm itself unmounts and removes pods' volumes. */
const KUBELET_FILES = [
  'config.yaml',
  'instance-config.yaml',
  'kubeadm-flags.env',
  'pki',
  'cpu_manager_state',
  'memory_manager_state',
].map((name) => `/var/lib/kubelet/${name}`);

const ETCD = '/var/lib/etcd';
const RESET_MS = 300_000;

interface ResetOptions {
  agent: string;
  /** A line of the real kubeadm, without secrets. */
  onLine?(line: string): void;
}

export interface ResetReport {
  /** Whether there was anything of kubeadm's, and whether its own reset succeeded. */
  kubeadm: 'reset' | 'failed' | 'not needed';
  removed: string[];
  /** What is still there, and what to do about it. */
  remains: Leftover[];
  /** What the reset should have done and did not. */
  problems: string[];
}

/** Tells whether kubeadm is at work here; only the agent that started it may take its result. */
export async function isKubeadmRunning(host: Host): Promise<boolean> {
  return (await findEarlierRun(host)) === 'running';
}

/** Harmless when repeated, on half a node, and on a machine that was never one. @throws HostError */
export async function resetNode(host: Host, options: ResetOptions): Promise<ResetReport> {
  const report: ResetReport = { kubeadm: 'not needed', removed: [], remains: [], problems: [] };
  // kubeadm's own reset takes away what tells this, and empties no directory of certificates but its own.
  const places = { certificatesDir: await certificatesDirOf(host) };
  const certificates = [...certificateFiles(), ...certificateFiles(places)];
  const settings = kubeadmFiles().filter((path) => !certificates.includes(path));
  const wasNode = await looksLikeNode(host, settings);
  // Only if Slipway made the node and looked before, it knows who wrote a network configuration.
  const before = await readStateBefore(host);
  const copies = await copiedKubeconfigs(host);
  // Noted first: if this agent is killed half-way, the node must not pass for finished.
  await noteInJournal(host, options.agent);
  for (const path of [SENTINEL, OUTCOME, OUTCOME_ASIDE]) await remove(host, path, report);
  if (wasNode) {
    // kubeadm's reset takes the credentials for it away.
    await takeOutOrphan(host, report);
    await runKubeadmReset(host, options, report);
  }
  // Without a node they came with the user data, and the first bootstrap needs them.
  const paths = [...settings, ...(wasNode ? new Set(certificates) : []), ...KUBELET_FILES];
  if (before !== undefined) {
    const names = await host.files.list(CNI_DIR);
    paths.push(...names.filter((name) => !before.cni.includes(name)).map((name) => `${CNI_DIR}/${name}`));
  }
  for (const path of paths) await remove(host, path, report);
  for (const path of copies) await removeCopy(host, path, report);
  await forgetState(host);
  report.remains = await findLeftovers(host, { wasNode, ...places });
  return report;
}

/** Certificates are no sign: user data brings them before there is a node. */
async function looksLikeNode(host: Host, settings: readonly string[]): Promise<boolean> {
  for (const path of [...settings, ...KUBELET_FILES])
    if ((await host.files.stat(path)) !== undefined) return true;
  return (await host.files.list(ETCD)).length > 0;
}

async function runKubeadmReset(host: Host, { onLine }: ResetOptions, report: ResetReport): Promise<void> {
  report.kubeadm = 'failed';
  let path: string;
  try {
    path = await findRealKubeadm(host, host.root === '/' ? process.execPath : undefined);
  } catch (error) {
    if (!(error instanceof KubeadmError)) throw error;
    report.problems.push(
      `${errorMessage(error)} So only files that Slipway knows by name are removed, and pods may still run.`,
    );
    return;
  }
  const result = await kubeadmReset(host, {
    kubeadmPath: path,
    criSocket: await configuredSocket(host),
    timeoutMs: RESET_MS,
    onLine,
  });
  if (result.podsLeft !== undefined)
    report.problems.push(
      `kubeadm could not remove all pods, and what is left of them may run: ${result.podsLeft}`,
    );
  const [, left] = MEMBER_LEFT.exec(`${result.stdout}\n${result.stderr}`) ?? [];
  if (left !== undefined)
    report.problems.push(
      `kubeadm could not take this machine's etcd member out of the cluster: ${redact(left)}. On another control plane, etcdctl member list shows it; remove it with etcdctl member remove ID.`,
    );
  if (result.exitStatus === 0) {
    report.kubeadm = 'reset';
    return;
  }
  const last = extractKubeadmError(result.stderr);
  report.problems.push(
    result.timedOut
      ? `kubeadm reset took longer than ${RESET_MS / 1000} s and was ended.`
      : `kubeadm reset exited with status ${result.exitStatus}: ${last}`,
  );
}

/** A join that failed may have left a member that never started; as long as a learner is in the list, no other machine can join. */
async function takeOutOrphan(host: Host, report: ResetReport): Promise<void> {
  const note = await readAttempt(host, { instance: await machineInstance(host), verb: 'join' });
  const found = await removeOrphan(host, { memberId: note?.etcdMember });
  if (found === undefined) return;
  const { id, removed, why } = found;
  if (removed) {
    report.removed.push(`etcd member ${id}, which never started`);
    return;
  }
  const how =
    id === undefined
      ? 'On a control plane of the cluster, etcdctl member list shows whether it is there; remove it with etcdctl member remove ID.'
      : `Remove it on a control plane of the cluster: etcdctl member remove ${id}`;
  report.problems.push(`An etcd member of this machine may be left in the cluster: ${why} ${how}`);
}

/** What kubeadm says where its own removal of a member failed; it goes on all the same. */
const MEMBER_LEFT = /Failed to remove etcd member: ([^\n]*)/;

async function remove(host: Host, path: string, report: ResetReport): Promise<void> {
  if ((await host.files.stat(path)) === undefined) return;
  await host.files.remove(path);
  report.removed.push(path);
}

/** Its user can change the home meanwhile, for instance put a link there that root does not follow. */
async function removeCopy(host: Host, path: string, report: ResetReport): Promise<void> {
  try {
    await remove(host, path, report);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    report.problems.push(
      `${path}, a copy of this cluster's admin.conf, could not be removed: ${errorMessage(error)}. Remove it yourself.`,
    );
  }
}

/** Forgets Slipway's own state of the node. The journal stays and records the reset. */
async function forgetState(host: Host): Promise<void> {
  await clearInventory(host);
  await clearSuccess(host);
  await clearAttempt(host);
  await clearRun(host);
  await host.files.remove(STATE_BEFORE_FILE);
  // A machine that is to be made anew proves itself anew.
  await host.files.remove(SEALED_KEPT);
  await host.files.remove(CREDENTIAL_DIR);
  await configureKubelet(host, undefined, process.execPath);
  // The states of the shells that ran commands; another bootstrap begins with new ones.
  await host.files.remove(`${RUN_DIR}/shell`);
}

async function noteInJournal(host: Host, agent: string): Promise<void> {
  if ((await host.files.stat(JOURNAL)) === undefined) return;
  const journal = await Journal.open(host);
  try {
    const run = host.uuid();
    const last = journal.records.findLast((record) => record.type === 'run.started');
    // Earlier runs' instance; under another one, their steps would seem to belong to another machine.
    const instance = last?.type === 'run.started' ? last.instance : await machineInstance(host);
    const mode = last?.type === 'run.started' ? last.mode : 'bootstrap';
    await journal.append({ type: 'run.started', run, instance, mode, agent, pid: process.pid }, 'with-next');
    await journal.append({ type: 'node.reset', run, scope: 'node' });
  } finally {
    await journal.close();
  }
}
