import { errorMessage } from '../../kit/errors.ts';
import type { Host } from '../host/host.ts';
import type { Check, PreflightFinding, Task } from './checks/check.ts';
import { apiServer } from './checks/kubernetes/api-server.ts';
import { containerRuntime } from './checks/kubernetes/container-runtime.ts';
import { kubeletService } from './checks/kubernetes/kubelet-service.ts';
import { leftovers } from './checks/kubernetes/leftovers.ts';
import { nodeIp } from './checks/kubernetes/node-ip.ts';
import { nodeName } from './checks/kubernetes/node-name.ts';
import { ports } from './checks/kubernetes/ports.ts';
import { programs } from './checks/kubernetes/programs.ts';
import { versions } from './checks/kubernetes/versions.ts';
import { clock } from './checks/system/clock.ts';
import { diskSpace } from './checks/system/disk-space.ts';
import { expectations } from './checks/system/expectations.ts';
import { cgroups, kernel, modules } from './checks/system/kernel.ts';
import { kernelSettings } from './checks/system/kernel-settings.ts';
import { nameServers } from './checks/system/name-servers.ts';
import { privileges } from './checks/system/privileges.ts';
import { resources, swap } from './checks/system/resources.ts';
import { kubeletPort } from './checks/windows/port.ts';
import {
  defender,
  hostNetworkService,
  pageFile,
  runtimePipe,
  systemDrive,
  windowsName,
} from './checks/windows/system.ts';

/** In the order of their findings. */
const CHECKS: readonly Check[] = [
  privileges,
  kernel,
  cgroups,
  swap,
  kernelSettings,
  modules,
  resources,
  expectations,
  diskSpace,
  programs,
  versions,
  kubeletService,
  containerRuntime,
  ports,
  leftovers,
  nodeName,
  nodeIp,
  nameServers,
  clock,
  apiServer,
];

/** The others read what only Linux has. */
const WINDOWS_CHECKS: readonly Check[] = [
  ...[pageFile, expectations, systemDrive, versions, kubeletService, runtimePipe, hostNetworkService],
  ...[defender, kubeletPort, windowsName, nodeName, clock, apiServer],
];

/** No check may take longer, except one that mends, because it changes something. */
const LIMIT_MS = 2_000;
const MENDING_LIMIT_MS = 30_000;
/** Windows is asked by programs of its own, and starts each of them slowly while it boots. */
const WINDOWS_LIMIT_MS = 10_000;

export interface PreflightResult {
  findings: PreflightFinding[];
  /** Checks without an answer, and why; they count for nothing. */
  unanswered: string[];
  ms: number;
}

/** Runs all checks of the machine at once. Never throws; changes nothing unless the task says to mend. */
export async function runPreflight(
  host: Host,
  task: Task,
  checks: readonly Check[] = host.platform === 'windows' ? WINDOWS_CHECKS : CHECKS,
): Promise<PreflightResult> {
  const started = host.clock.monotonic();
  const unanswered: string[] = [];
  const timer = new AbortController();
  const own = host.platform === 'windows' ? WINDOWS_LIMIT_MS : LIMIT_MS;
  const limit = task.mend ? MENDING_LIMIT_MS : own;
  const late = host.clock.sleep(limit, timer.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  const answers = await Promise.all(
    checks.map(async (check) => {
      try {
        const answer = await Promise.race([check.run(host, task), late]);
        if (answer !== 'late') return answer;
        unanswered.push(`the check of ${check.name} took longer than ${limit / 1000} s`);
      } catch (error) {
        const why = errorMessage(error);
        unanswered.push(`the check of ${check.name} failed: ${why}`);
      }
      return [];
    }),
  );
  timer.abort();
  const findings = answers.flat().map((finding) => excused(finding, task));
  return { findings, unanswered, ms: host.clock.monotonic() - started };
}

/**
 * If the user told kubeadm to ignore a check or to skip its preflight phase, its finding must not end the
 * bootstrap here.
 */
function excused(finding: PreflightFinding, { config }: Task): PreflightFinding {
  const { severity, kubeadmCheck } = finding;
  if (severity !== 'fatal' || kubeadmCheck === undefined || config === undefined) return finding;
  const ignored = config.ignorePreflightErrors.map((name) => name.trim().toLowerCase());
  const isIgnored = ignored.includes('all') || ignored.includes(kubeadmCheck.toLowerCase());
  const isSkipped = config.skipPhases.includes('preflight');
  if (!isIgnored && !isSkipped) return finding;
  const why = isIgnored
    ? `ignored by ignorePreflightErrors: ${kubeadmCheck}`
    : 'kubeadm skips its preflight phase';
  return { ...finding, severity: 'warning', message: `${finding.message} (${why})` };
}
