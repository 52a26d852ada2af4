import { DEFAULT_EVICTION_THRESHOLDS } from '../../../kubeadm/config/kubelet/eviction-thresholds.ts';
import {
  type Check,
  isControlPlane,
  megabytes,
  type PreflightFinding,
  percent,
  preflightFinding,
  readText,
} from '../check.ts';

const GIB = 1024 ** 3;
interface Place {
  path: string;
  /** Below this share, the machine is short of room. */
  leastShare: number;
  /** What the kubelet does then. */
  consequence?: string;
}

/** Checks that Kubernetes has space and permission where it writes. */
export const diskSpace: Check = {
  name: 'disk space',
  async run(host, task) {
    const { own, images } = task.config?.leastFree ?? DEFAULT_EVICTION_THRESHOLDS;
    const places: Place[] = [
      { path: '/var/lib/kubelet', leastShare: own, consequence: 'evicts pods' },
      // Also such as kubeadm waits for.
      { path: '/var/lib/containerd', leastShare: images, consequence: 'removes images' },
      { path: '/etc/kubernetes', leastShare: own },
    ];
    if (isControlPlane(task))
      places.push({ path: task.config?.etcdDataDir ?? '/var/lib/etcd', leastShare: own });
    const mounts = readMounts((await readText(host, '/proc/self/mounts')) ?? '');
    const findings: PreflightFinding[] = [];
    const told = new Set<string>();
    for (const { path, leastShare, consequence } of places) {
      const mount = mounts.findLast(({ at }) => at === '/' || path === at || path.startsWith(`${at}/`));
      if (mount === undefined || told.has(mount.at)) continue;
      if (mount.readOnly) {
        told.add(mount.at);
        findings.push(
          preflightFinding(
            'fatal',
            'FileSystemReadOnly',
            `${path} cannot be written: ${mount.at} is read-only`,
          ),
        );
        continue;
      }
      const space = await host.files.space(mount.at).catch(() => undefined);
      if (space === undefined || space.totalBytes === 0) continue;
      const share = space.freeBytes / space.totalBytes;
      if (share >= leastShare && space.freeBytes >= GIB) continue;
      told.add(mount.at);
      const what =
        consequence && share < leastShare ? `; below ${percent(leastShare)} the kubelet ${consequence}` : '';
      const message = `${mount.at}, which contains ${path}, has ${percent(share)} (${megabytes(space.freeBytes)}) free${what}`;
      findings.push(preflightFinding('warning', 'DiskSpaceLow', message));
    }
    return findings;
  },
};

function readMounts(text: string): { at: string; readOnly: boolean }[] {
  const mounts = text.split('\n').flatMap((line) => {
    const [, at, , options = ''] = line.split(' ');
    return at === undefined ? [] : [{ at: unescaped(at), readOnly: options.split(',').includes('ro') }];
  });
  // The longest one fits best; of two mounts at one place, the later hides the earlier.
  return mounts
    .filter(({ at }, index) => !mounts.slice(index + 1).some((later) => later.at === at))
    .toSorted((a, b) => a.at.length - b.at.length);
}

/** The kernel writes spaces and tabs as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
