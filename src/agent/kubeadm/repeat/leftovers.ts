/**
 * Cleans up between attempts, so that kubeadm's own preflight passes again, and so that nothing is lost that user data
 * or the image put there: above all the certificate authorities that a control plane gets with its user data.
 *
 * Facts (kubeadm's source, 1.20 to 1.34): a failed join leaves pki/ca.crt, sometimes bootstrap-kubelet.conf and
 * kubelet.conf, which its next preflight refuses. `kubeadm reset` stops the kubelet, removes pods, empties
 * /etc/kubernetes/manifests, /var/lib/kubelet and the directory behind --cert-dir, and removes the kubeconfigs; so with
 * --cert-dir on an empty directory the certificates stay. Its phase remove-etcd-member empties /var/lib/etcd even
 * without an etcd manifest from 1.27 on, so it is skipped where etcd data was there before.
 */

import { redact } from '../../../secrets/redact.ts';
import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { ETCD_MANIFEST, kubeadmFiles, MANIFESTS } from '../config/kubeadm-files.ts';
import { digestOf, type Inventory, type InventoryEntry } from './inventory.ts';
import { kubeadmReset } from './kubeadm-reset.ts';

/** Files that kubeadm writes when it sets up the kubelet: their being there means the kubelet was started. */
const KUBELET_FILES = [
  '/var/lib/kubelet/config.yaml',
  '/var/lib/kubelet/kubeadm-flags.env',
  '/var/lib/kubelet/instance-config.yaml',
];
const EMPTY_CERT_DIR = `${RUN_DIR}/no-certificates`;

interface CleanSpec {
  verb: 'init' | 'join';
  /** The phase that failed, when known; after `preflight` nothing but files can be left. */
  phase?: string | undefined;
  kubeadmPath: string;
  /** The cluster knows of no etcd member on this machine any more, so a reset has none to take out. */
  etcdIsSettled?: boolean;
}

interface CleanReport {
  /** `kubeadm reset` was run and ended well. */
  reset: boolean;
  removed: string[];
  restored: string[];
  /** What could not be done, for people; empty when all is well. */
  problems: string[];
}

/**
 * Takes away what a failed attempt left. Touches only /etc/kubernetes, /var/lib/kubelet, /var/lib/etcd and certificates
 * where the configuration puts them, and of those only what the inventory does not have. Harmless when repeated.
 *
 * @throws HostError when the disk cannot be read or written.
 */
export async function cleanUpAttempt(
  host: Host,
  inventory: Inventory,
  spec: CleanSpec,
): Promise<CleanReport> {
  const report: CleanReport = { reset: false, removed: [], restored: [], problems: [] };
  if (spec.phase !== 'preflight' && (await wasSetUp(host, inventory)))
    await reset(host, inventory, spec, report);
  for (const path of [...kubeadmFiles(inventory.places), ...(report.reset ? await kubeletState(host) : [])]) {
    if (inventory.entries[path] === undefined && (await host.files.stat(path)) !== undefined) {
      await host.files.remove(path);
      report.removed.push(path);
    }
  }
  // A reset empties it only when it could tell the cluster; the next preflight refuses what is left.
  if (inventory.etcdEmpty && report.reset) {
    for (const name of await host.files.list('/var/lib/etcd')) {
      await host.files.remove(`/var/lib/etcd/${name}`);
      report.removed.push(`/var/lib/etcd/${name}`);
    }
  }
  for (const [path, entry] of Object.entries(inventory.entries)) await restore(host, path, entry, report);
  return report;
}

/**
 * What the kubelet keeps of an attempt. A reset empties /var/lib/kubelet only if it could unmount everything below it; a
 * client certificate or a CPU manager's state that stays would spoil the next attempt.
 */
async function kubeletState(host: Host): Promise<string[]> {
  const pki = '/var/lib/kubelet/pki';
  const certificates = (await host.files.list(pki)).map((name) => `${pki}/${name}`);
  return [
    ...KUBELET_FILES,
    ...certificates,
    '/var/lib/kubelet/cpu_manager_state',
    '/var/lib/kubelet/memory_manager_state',
  ];
}

/** Did kubeadm get as far as setting up the kubelet or writing static pods? */
async function wasSetUp(host: Host, inventory: Inventory): Promise<boolean> {
  for (const path of [...KUBELET_FILES, ...MANIFESTS]) {
    if (await differs(host, path, inventory.entries[path])) return true;
  }
  return false;
}

async function reset(host: Host, inventory: Inventory, spec: CleanSpec, report: CleanReport): Promise<void> {
  await host.files.remove(EMPTY_CERT_DIR);
  await host.files.mkdir(EMPTY_CERT_DIR, 0o700);
  // Only where this attempt made a local etcd is there a member to take out of the cluster, and data to delete.
  const madeEtcd =
    inventory.etcdEmpty &&
    spec.etcdIsSettled !== true &&
    (await differs(host, ETCD_MANIFEST, inventory.entries[ETCD_MANIFEST]));
  const certDir = host.platform === 'windows' ? await host.files.real(EMPTY_CERT_DIR) : EMPTY_CERT_DIR;
  const result = await kubeadmReset(host, {
    kubeadmPath: spec.kubeadmPath,
    certDir,
    criSocket: await configuredSocket(host),
    skipPhases: madeEtcd ? [] : ['remove-etcd-member'],
    timeoutMs: 180_000,
  });
  await host.files.remove(EMPTY_CERT_DIR);
  // Where the runtime is not there, kubeadm itself is going to say so.
  if (result.arePodsKnown)
    report.problems.push(`kubeadm reset after kubeadm ${spec.verb} left pods: ${result.podsLeft}`);
  report.reset = result.exitStatus === 0;
  if (report.reset) return;
  const last = extractKubeadmError(result.stderr);
  report.problems.push(
    result.timedOut
      ? `kubeadm reset after kubeadm ${spec.verb} took too long`
      : `kubeadm reset after kubeadm ${spec.verb} exited with status ${result.exitStatus}: ${last}`,
  );
}

/** kubeadm's own error without secrets. Since 1.34 it begins with that word, and advice may follow it. */
export function extractKubeadmError(stderr: string): string {
  const lines = redact(stderr).trim().split('\n');
  const words = lines.filter((line) => !line.startsWith('To see the stack trace of this error'));
  return (words.at(-1) ?? '').replace(/^error: /, '');
}

async function restore(host: Host, path: string, entry: InventoryEntry, report: CleanReport): Promise<void> {
  if (!(await differs(host, path, entry))) return;
  const owner = `${entry.uid}:${entry.gid}`;
  if (entry.kind === 'directory') await host.files.mkdir(path, entry.mode);
  else if (entry.kind === 'symlink' && entry.target !== undefined) {
    await host.files.remove(path);
    await host.files.symlink(entry.target, path);
  } else if (entry.content !== undefined) {
    await host.files.write(path, Buffer.from(entry.content, 'base64'), { mode: entry.mode, owner });
  } else {
    if (entry.kind === 'file')
      report.problems.push(`${path} was changed or removed, and no copy of it was kept`);
    return;
  }
  report.restored.push(path);
}

/** Is what lies at `path` now something else than what the inventory says (undefined: nothing)? */
async function differs(host: Host, path: string, entry: InventoryEntry | undefined): Promise<boolean> {
  const stat = await host.files.stat(path);
  if (stat === undefined || entry === undefined) return (stat === undefined) !== (entry === undefined);
  if (stat.kind !== entry.kind) return true;
  if (stat.kind === 'symlink') return (await host.files.readlink(path)) !== entry.target;
  if (stat.kind !== 'file' || entry.digest === undefined) return false;
  return digestOf(await host.files.read(path)) !== entry.digest;
}

/** The container runtime that kubeadm chose for the kubelet: where there are several, its reset asks to be told. */
export async function configuredSocket(host: Host): Promise<string | undefined> {
  for (const path of KUBELET_FILES) {
    const text = (await host.files.readIfPresent(path, 64 * 1024))?.toString('utf8') ?? '';
    const match = /(?:--container-runtime-endpoint[= ]|^containerRuntimeEndpoint: *)"?([^\s"]+)/m.exec(text);
    if (match?.[1] !== undefined) return match[1];
  }
  return undefined;
}
