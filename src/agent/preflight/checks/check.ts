import type { Host } from '../../host/host.ts';
import type { KubeadmConfig } from '../../kubeadm/config/config.ts';
import type { PreflightFinding } from './finding.ts';

/** What the checks know of the machine's task. */
export interface Task {
  /** How kubeadm will be called; undefined where only the image is checked. */
  config?: KubeadmConfig;
  /** The installed kubeadm's minor version. */
  kubeadmMinor?: number;
  /** kubeadm was run here before, for this instance: what it left is cleaned up before it is run again. */
  attempted: boolean;
  /** Directories of PATH that commands before kubeadm have set, beyond the agent's own. */
  searchPath?: string[];
  /** Put right what can be put right safely. */
  mend: boolean;
}

/** One check of the machine. Reads only, unless it is asked to mend. */
export interface Check {
  /** A few words for people, after "check of". */
  name: string;
  run(host: Host, task: Task): Promise<PreflightFinding[]>;
}

/** Text of a small file of the kernel or of the system; undefined where it is not there or cannot be read. */
export async function readText(host: Host, path: string): Promise<string | undefined> {
  try {
    return (await host.files.readIfPresent(path, 256 * 1024))?.toString('utf8');
  } catch {
    // Not to be read is as good as not there: a check tells only what it has seen.
    return undefined;
  }
}

/** This machine becomes a control plane, as far as is known. */
export function isControlPlane({ config }: Task): boolean {
  return config?.controlPlane === true;
}

/** kubeadm is known, and older than 1.`minor`. */
export function isBefore({ kubeadmMinor }: Task, minor: number): boolean {
  return kubeadmMinor !== undefined && kubeadmMinor < minor;
}
