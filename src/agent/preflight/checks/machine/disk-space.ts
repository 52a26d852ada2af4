import { type Check, isControlPlane, readText } from '../check.ts';
import { found, type PreflightFinding } from '../finding.ts';

const GIB = 1024 ** 3;
/** Below this share of its own file system, the kubelet evicts pods (its default evictionHard). */
const LEAST_SHARE = 0.1;

/** Checks that Kubernetes has space and permission where it writes. */
export const diskSpace: Check = {
  name: 'disk space',
  async run(host, task) {
    const paths = ['/var/lib/kubelet', '/var/lib/containerd', '/etc/kubernetes'];
    if (isControlPlane(task)) paths.push(task.config?.etcdDataDir ?? '/var/lib/etcd');
    const mounts = readMounts((await readText(host, '/proc/self/mounts')) ?? '');
    const findings: PreflightFinding[] = [];
    const told = new Set<string>();
    for (const path of paths) {
      const mount = mounts.findLast(({ at }) => at === '/' || path === at || path.startsWith(`${at}/`));
      if (mount === undefined || told.has(mount.at)) continue;
      told.add(mount.at);
      if (mount.readOnly) {
        findings.push(
          found('fatal', 'FileSystemReadOnly', `${path} cannot be written: ${mount.at} is read-only`),
        );
        continue;
      }
      const space = await host.files.space(mount.at).catch(() => undefined);
      if (space === undefined || space.totalBytes === 0) continue;
      const share = space.freeBytes / space.totalBytes;
      if (share >= LEAST_SHARE && space.freeBytes >= GIB) continue;
      const message = `${mount.at}, where ${path} lies, has ${percent(share)} (${megabytes(space.freeBytes)}) free`;
      findings.push(found('warning', 'DiskSpaceLow', message));
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

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}
