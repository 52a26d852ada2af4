import {
  type Check,
  isBefore,
  type PreflightFinding,
  preflightFinding,
  type Task,
  type Version,
} from '../check.ts';

/**
 * Compares kubelet, kubeadm and the configuration's version. kubeadm accepts a kubelet that is one minor
 * version older than itself, from 1.29 on three (its MinimumKubeletVersion), and none newer than the control
 * plane.
 */
export const versions: Check = {
  name: 'versions',
  async run(_, task) {
    const { kubelet } = task;
    const wanted = versionOf(task.config?.kubernetesVersion ?? '');
    return [...kubeletProblems(kubelet, task), ...controlPlaneProblems(kubelet, wanted, task)];
  },
};

const CHECK = { kubeadmCheck: 'KubeletVersion' };

function kubeletProblems(kubelet: Version | undefined, task: Task): PreflightFinding[] {
  const { kubeadmMinor } = task;
  if (kubelet === undefined || kubeadmMinor === undefined) return [];
  const behind = kubeadmMinor - kubelet.minor;
  const allowed = isBefore(task, 29) ? 1 : 3;
  const message = `the kubelet is ${kubelet.text}, and kubeadm is 1.${kubeadmMinor}`;
  // Some releases of 1.28 were the first to accept older ones.
  if (behind > allowed && !(kubeadmMinor === 28 && behind <= 3))
    return [preflightFinding('fatal', 'VersionSkew', message, CHECK)];
  return behind < 0
    ? [preflightFinding('warning', 'VersionSkew', `${message}; a newer kubelet is not supported`, CHECK)]
    : [];
}

function controlPlaneProblems(
  kubelet: Version | undefined,
  wanted: Version | undefined,
  { config, kubeadmMinor }: Task,
): PreflightFinding[] {
  if (config?.verb !== 'init' || wanted === undefined) return [];
  const findings: PreflightFinding[] = [];
  if (kubelet !== undefined && kubelet.minor > wanted.minor) {
    const message = `the kubelet is ${kubelet.text}, newer than the configured control plane, ${wanted.text}`;
    findings.push(preflightFinding('fatal', 'VersionSkew', message, CHECK));
  }
  if (kubeadmMinor === undefined) return findings;
  const skew = `kubeadm is 1.${kubeadmMinor}, and the configuration sets ${wanted.text}`;
  // This is no check of kubeadm's but part of reading its configuration: nobody can ignore it.
  if (wanted.minor < kubeadmMinor - 1)
    findings.push(
      preflightFinding(
        'fatal',
        'VersionSkew',
        `${skew}; it only sets up control planes of its own minor version or the one before`,
      ),
    );
  if (wanted.minor > kubeadmMinor) findings.push(preflightFinding('warning', 'VersionSkew', skew));
  return findings;
}

/** Undefined for a label such as `stable-1`. */
export function versionOf(text: string): Version | undefined {
  const minor = /^v?1\.(\d+)\.\d+/.exec(text)?.[1];
  return minor === undefined ? undefined : { text, minor: Number(minor) };
}
