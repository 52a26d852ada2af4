import type { KubeadmCommand } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { readInventory } from '../kubeadm/repeat/inventory.ts';
import { findInstalled, prepare } from './prepare.ts';
import { type PreflightResult, runPreflight } from './run.ts';

export interface MachineTask {
  /** How kubeadm will be called; undefined where only the image is to be checked. */
  command?: KubeadmCommand | undefined;
  /** The configuration file, where it is not on the machine yet. */
  text?: string | undefined;
  instance: string;
  mend: boolean;
  searchPath?: string[];
}

/**
 * Checks the configuration and the machine, in about a second. Below a root directory only the configuration: the kernel
 * there is not the one that a node will have. Where it is not known how kubeadm will be called, because its
 * configuration cannot be read, kubeadm's own complaint says more than the machine could.
 */
export async function checkMachine(host: Host, task: MachineTask): Promise<PreflightResult> {
  const started = host.clock.monotonic();
  const { command, instance, mend } = task;
  const installed = await findInstalled(host);
  const text = task.text ?? (await readConfiguration(host, command?.configPath));
  const { findings, ...about } =
    command === undefined ? { ...installed, findings: [] } : prepare(command, text, installed.kubeadmMinor);
  const attempted = (await readInventory(host, instance)) !== undefined;
  const machine =
    host.root === '/' && (command === undefined || about.config !== undefined)
      ? await runPreflight(host, { ...about, attempted, mend, searchPath: task.searchPath ?? [] })
      : { findings: [], unanswered: [] };
  return {
    findings: [...installed.findings, ...findings, ...machine.findings],
    unanswered: machine.unanswered,
    ms: host.clock.monotonic() - started,
  };
}

async function readConfiguration(host: Host, path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : (await host.files.readIfPresent(path))?.toString('utf8');
}
