import { type Check, readText } from '../check.ts';
import { preflightFinding } from '../finding.ts';

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
          `the kernel is ${release}, and kubeadm needs 3.10 at least`,
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
