import type { Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { isStillJoined } from '../kubeadm/repeat/joined.ts';
import { type ProgramQuery, prefetchProgramQuery, queryProgram } from '../kubeadm/run/query-program.ts';
import { findRealKubeadm, versionQuery } from '../kubeadm/run/real-kubeadm.ts';
import type { Version } from './checks/check.ts';
import { versionOf } from './checks/kubernetes/versions.ts';
import { findInstalled, type Prepared } from './prepare.ts';

/** What the installed kubeadm and kubelet say of themselves; nothing where they do not. */
export type Versions = Prepared & { kubelet?: Version };

/** What may run before kubeadm. */
type Before = Pick<Document, 'commands' | 'bootCommands' | 'bootScripts' | 'units'>;

/** Both are asked at once: each answers when it has started and ended. */
export async function queryVersions(host: Host): Promise<Versions> {
  const [installed, kubelet] = await Promise.all([findInstalled(host), askKubelet(host)]);
  return { ...installed, ...(kubelet ? { kubelet } : {}) };
}

/**
 * Asks them before their time, so that the check of the machine need not wait for both. Where user data put another one in its
 * place until then, that one is asked. Waits for no answer and never throws; what has not answered is asked again.
 */
export async function prefetchVersions(host: Host, document: Before, signal: AbortSignal): Promise<void> {
  const { commands, bootCommands, bootScripts = [], units = [] } = document;
  const [command] = commands;
  // Below a root directory nothing waits for a kubelet.
  if (command?.kind !== 'kubeadm' || host.root !== '/') return;
  // A program that runs cannot be written over (ETXTBSY). Slipway and package managers put another file in its place.
  if (bootCommands.length + bootScripts.length + units.length > 0) return;
  try {
    // On a node nothing is checked again.
    if (await isStillJoined(host, command.verb)) return;
    await prefetchProgramQuery(host, { ...(await kubeletQuestion(host)), signal });
    const kubeadm = await findRealKubeadm(host, process.execPath);
    await prefetchProgramQuery(host, { ...versionQuery(kubeadm), signal });
  } catch {
    // The check of the machine says what is wrong.
  }
}

async function askKubelet(host: Host): Promise<Version | undefined> {
  if (host.root !== '/') return undefined;
  const { exitStatus, stdout } = await queryProgram(host, await kubeletQuestion(host));
  return exitStatus === 0 ? versionOf(stdout.trim().replace(/^Kubernetes /, '')) : undefined;
}

async function kubeletQuestion(host: Host): Promise<ProgramQuery> {
  const path = (await host.processes.which('kubelet')) ?? 'kubelet';
  return { argv: [path, '--version'], timeoutMs: 5_000 };
}
