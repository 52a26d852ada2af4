import type { Host } from '../../../host/host.ts';
import { type Check, isBefore, readText, type Task } from '../check.ts';
import { type PreflightFinding, preflightFinding } from '../finding.ts';

/** Without these the kubelet does not start. It does start without the others, which some kernels lack. */
const NEEDED = ['cpu', 'cpuset', 'memory'];

/** Control groups: the controllers that the kubelet needs, and version 1, which is being retired. */
export const cgroups: Check = {
  name: 'control groups',
  async run(host, task) {
    const unified = await readText(host, '/sys/fs/cgroup/cgroup.controllers');
    const enabled = unified === undefined ? await versionOne(host) : unified.trim().split(/\s+/);
    if (enabled === undefined) return [];
    const missing = NEEDED.filter((name) => !enabled.includes(name));
    const findings: PreflightFinding[] = [];
    if (missing.length > 0) {
      const message = `the control group controllers ${missing.join(', ')} are not enabled`;
      findings.push(
        preflightFinding('fatal', 'CgroupsUnsuitable', message, { kubeadmCheck: 'SystemVerification' }),
      );
    }
    if (unified === undefined) findings.push(...retiring(task));
    return findings;
  },
};

/** Since 1.35 the kubelet refuses version 1 unless its configuration says failCgroupV1: false, or its argument does. */
function retiring(task: Task): PreflightFinding[] {
  if (task.kubeadmMinor === undefined || isBefore(task, 35) || task.config?.allowsCgroupV1) return [];
  const message =
    'this machine has control groups version 1, with which the kubelet only starts if failCgroupV1 is false';
  return [
    preflightFinding('warning', 'CgroupsUnsuitable', message, {
      remedy: 'Boot the image with control groups version 2.',
    }),
  ];
}

/** Names of the controllers that /proc/cgroups calls enabled. */
async function versionOne(host: Host): Promise<string[] | undefined> {
  const table = await readText(host, '/proc/cgroups');
  return table
    ?.split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([name, , , enabled]) => name !== undefined && !name.startsWith('#') && enabled === '1')
    .map(([name = '']) => name);
}
