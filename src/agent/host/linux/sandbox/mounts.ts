import { sep } from 'node:path';

/** A mount at or below a root: the options under which it is shown to the root's programs, or hidden from them. */
interface MountPlan {
  /** Below the root, with a slash in front; empty is the root itself. */
  path: string;
  mode: string;
}

interface Mount {
  device: string;
  point: string;
  options: string[];
  type: string;
}

/** File systems without a device that hold a machine's files all the same. */
const HOLDS_FILES: ReadonlySet<string> = new Set(['overlay', 'zfs', 'bcachefs', 'virtiofs']);
/** Flags of a mount that a remount would take away where it does not repeat them. */
const KEPT_FLAGS = ['ro', 'noexec', 'noatime', 'nodiratime', 'relatime'];

/**
 * What of the mounts at and below a root its programs may see. A whole file system that is mounted nowhere else is a part of the
 * image, as its /home may be. The rest is the host's, mounted there for a chroot: /proc, /dev, /run with its sockets.
 *
 * @param mountinfo /proc/self/mountinfo
 * @param filesystems /proc/filesystems
 */
export function planMounts(
  { mountinfo, filesystems }: { mountinfo: string; filesystems: string },
  root: string,
  mayWrite: boolean,
): MountPlan[] {
  const mounts = mountinfo.split('\n').flatMap(parse);
  const withoutDevice = new Set([...filesystems.matchAll(/^nodev\t(\S+)$/gm)].map(([, name]) => name ?? ''));
  const isWithin = ({ point }: Mount) => isBelow(root, point);
  const outside = new Set(mounts.filter((mount) => !isWithin(mount)).map(({ device }) => device));
  const isImages = ({ device, type }: Mount) =>
    !outside.has(device) && (!withoutDevice.has(type) || HOLDS_FILES.has(type));
  const shown = ({ options }: Mount) =>
    [
      ...new Set([
        ...options.filter((name) => KEPT_FLAGS.includes(name)),
        ...(mayWrite ? [] : ['ro']),
        'nodev',
        'nosuid',
      ]),
    ].join(',');
  const around = mounts
    .filter(({ point }) => isBelow(point, root) || point === root)
    .reduce<Mount | undefined>(
      (found, mount) => (found === undefined || mount.point.length >= found.point.length ? mount : found),
      undefined,
    );
  const plans: MountPlan[] = [
    { path: '', mode: around ? shown(around) : `${mayWrite ? '' : 'ro,'}nodev,nosuid` },
  ];
  const hidden: string[] = [];
  for (const mount of mounts.filter(isWithin)) {
    if (hidden.some((point) => point === mount.point || isBelow(point, mount.point))) continue;
    const path = mount.point.slice(root.length);
    if (isImages(mount)) plans.push({ path, mode: shown(mount) });
    else {
      hidden.push(mount.point);
      plans.push({ path, mode: 'hide' });
    }
  }
  return plans;
}

const isBelow = (directory: string, path: string): boolean =>
  path !== directory && path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);

/** One line of mountinfo, as proc(5) has it. */
function parse(line: string): Mount[] {
  const [left = '', right = ''] = line.split(' - ');
  const [, , device, , point, options] = left.split(' ');
  const [type] = right.split(' ');
  if (device === undefined || point === undefined || options === undefined || !type) return [];
  return [{ device, point: unescaped(point), options: options.split(','), type }];
}

/** Spaces, tabs, line ends and backslashes are octal in mountinfo. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
