import type { Host } from '../../../host/host.ts';
import {
  type Check,
  isBefore,
  type PreflightFinding,
  preflightFinding,
  readText,
  type Task,
} from '../check.ts';

/**
 * kubeadm has always refused kernels before 3.10. Since 1.32 it demands 4.19 (its releases'
 * system-validators), but distributions patch older ones, so those only get a warning.
 */
export const kernel: Check = {
  name: 'kernel',
  async run(host) {
    const release = (await readText(host, '/proc/sys/kernel/osrelease'))?.trim() ?? '';
    const match = /^(\d+)\.(\d+)/.exec(release);
    if (match === null) return [];
    const [major, minor] = [Number(match[1]), Number(match[2])];
    const check = { kubeadmCheck: 'SystemVerification' };
    if (major < 3 || (major === 3 && minor < 10))
      return [
        preflightFinding(
          'fatal',
          'KernelTooOld',
          `the kernel is ${release}, and kubeadm needs at least 3.10`,
          check,
        ),
      ];
    if (major < 4 || (major === 4 && minor < 19))
      return [
        preflightFinding(
          'warning',
          'KernelTooOld',
          `the kernel is ${release}; Kubernetes 1.32 and later need 4.19`,
          check,
        ),
      ];
    return [];
  },
};

/** overlay: the file system on which container runtimes put images by default. */
export const modules: Check = {
  name: 'kernel modules',
  async run(host) {
    const filesystems = await readText(host, '/proc/filesystems');
    if (filesystems === undefined || /\boverlay$/m.test(filesystems)) return [];
    const release = (await readText(host, '/proc/sys/kernel/osrelease'))?.trim() ?? '';
    if (release === '' || (await isLoadable(host, release))) return [];
    const message = 'the kernel has no overlay file system, which container runtimes use for images';
    const remedy = 'Use a kernel with the module overlay, or configure another snapshotter.';
    return [preflightFinding('warning', 'KernelSettingWrong', message, { remedy })];
  },
};

/** If modprobe knows it, the runtime's first mount loads it. Without modprobe's lists, assume that. */
async function isLoadable(host: Host, release: string): Promise<boolean> {
  const lists = await Promise.all(
    ['modules.dep', 'modules.builtin'].map(async (name) =>
      (await host.files.readIfPresent(`/lib/modules/${release}/${name}`))?.toString('utf8'),
    ),
  );
  return lists.every((list) => list === undefined) || lists.some((list) => /\/overlay\.ko/.test(list ?? ''));
}

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
      const message = `the cgroup controllers ${missing.join(', ')} are not enabled`;
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
  const message = 'this machine uses cgroup v1, and the kubelet only starts if failCgroupV1 is false';
  return [
    preflightFinding('warning', 'CgroupsUnsuitable', message, {
      remedy: 'Boot the image with cgroup v2.',
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
