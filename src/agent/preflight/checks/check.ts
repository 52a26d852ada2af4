import { type Code, codes } from '../../../protocol/codes/codes.ts';
import type { Expectations } from '../../document/node-settings.ts';
import type { Host } from '../../host/host.ts';
import type { KubeadmConfig } from '../../kubeadm/config/config.ts';

/** Of a release of Kubernetes, all of which are 1.x. */
export interface Version {
  text: string;
  minor: number;
}

/** What the checks know of the machine's task. */
export interface Task {
  /** How Slipway will call kubeadm; undefined for the check of an image. */
  config?: KubeadmConfig;
  /** The installed kubeadm's minor version. */
  kubeadmMinor?: number;
  /** The installed kubelet's version. */
  kubelet?: Version;
  /** kubeadm has run here for this instance; Slipway cleans up after it before the next attempt. */
  attempted: boolean;
  /** Directories that commands before kubeadm have added to PATH. */
  searchPath?: string[];
  /** What the machine is to be. */
  expect?: Expectations;
  /** A command after kubeadm may give the machine another address. */
  addressMayCome?: boolean;
  /** Mend what Slipway can mend safely. */
  mend: boolean;
}

/** One check of the machine. It only reads, unless it is told to mend. */
export interface Check {
  /** A few words for people, after "check of". */
  name: string;
  run(host: Host, task: Task): Promise<PreflightFinding[]>;
}

/** The table of a busy machine's connections has 150 bytes for each. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The text of a file of the kernel or system; undefined if it is missing or unreadable. */
export async function readText(host: Host, path: string): Promise<string | undefined> {
  try {
    return (await host.files.readIfPresent(path, MOST_BYTES))?.toString('utf8');
  } catch {
    // Unreadable counts as missing: a check reports only what it has seen.
    return undefined;
  }
}

/** True if this machine is known to become a control plane. */
export function isControlPlane({ config }: Task): boolean {
  return config?.controlPlane === true;
}

/** True if kubeadm is known to be older than 1.`minor`. */
export function isBefore({ kubeadmMinor }: Task, minor: number): boolean {
  return kubeadmMinor !== undefined && kubeadmMinor < minor;
}

/** `share` from 0 to 1, in words. */
export function percent(share: number): string {
  return `${Math.floor(share * 100 + 1e-9)} %`;
}

export function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}

/**
 * `fatal`: kubeadm is certain to refuse the machine, or it cannot work as a node. `warning`: either is
 * possible. `mended`: the problem existed, and Slipway has mended it.
 */
type Severity = 'fatal' | 'warning' | 'mended';

/** What a check found. */
export interface PreflightFinding {
  severity: Severity;
  code: Code;
  /** One sentence without a full stop. */
  message: string;
  /** One sentence; the table's unless there is a better one. */
  remedy: string;
  /** kubeadm's name of the check, e.g. `Port-10250`, by which a user may ignore it. */
  kubeadmCheck?: string;
  /** Set where it does not come right by itself, although the table says that its code may. */
  isPermanent?: true;
}

/** A finding with the table's remedy. */
export function preflightFinding(
  severity: Severity,
  code: Code,
  message: string,
  more: Partial<Pick<PreflightFinding, 'remedy' | 'kubeadmCheck' | 'isPermanent'>> = {},
): PreflightFinding {
  return { severity, code, message, remedy: codes()[code].fix, ...more };
}
