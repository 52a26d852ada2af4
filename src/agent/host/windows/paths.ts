import { win32 } from 'node:path';

/** A path with a drive, such as `C:\k\kubeadm.exe` or `C:/k`. */
const WITH_DRIVE = /^[A-Za-z]:[\\/]/;

const DRIVE = process.env.SystemDrive ?? 'C:';

/** Everything that Slipway keeps across reboots; only SYSTEM and administrators may look into it. */
export const STATE = `${DRIVE}\\ProgramData\\slipway`;
/** What belongs to one boot, beside Cluster API's own `C:\\run\\cluster-api`; the same holds for it. */
export const RUN = `${DRIVE}\\run\\slipway`;

/** Slipway's other places by their names on other systems. */
const PLACES: readonly (readonly [name: string, place: string])[] = [
  ['/var/lib/slipway', STATE],
  ['/usr/lib/slipway', `${DRIVE}\\Program Files\\Slipway`],
  ['/etc/slipway', `${STATE}\\etc`],
];

/**
 * What on other systems only the kernel and root write, and Slipway believes: where user data lies, and who the machine is. Windows lets
 * every user make folders in C:\, so these are looked for where only administrators write.
 */
const BELIEVED: readonly string[] = [
  ...['/proc', '/sys', '/dev', '/run/systemd', '/run/cloud-init', '/config-drive'],
  ...['/etc/cloud', '/var/lib/cloud', '/var/lib/waagent', '/etc/vultr', '/var/run/scaleway'],
];

/**
 * Where a path of the machine lies on Windows. Slipway's state is in C:\ProgramData\slipway; every other path without a drive
 * is one of the system's drive, as Windows itself takes it: Cluster API's user data and kubeadm name `/run/kubeadm`,
 * `/run/cluster-api` and `/etc/kubernetes` there too.
 *
 * @param root `/`, or a Windows folder that stands for the system's drive
 */
export function toWindowsPath(root: string, path: string): string {
  const whole = WITH_DRIVE.test(path) ? win32.normalize(path) : fromName(path);
  return root === '/' ? whole : win32.join(root, whole.slice(whole.indexOf(':') + 1));
}

function fromName(path: string): string {
  // Pipes and devices (\\.\pipe\x) and shares name no drive.
  if (/^[\\/]{2}/.test(path)) return path.replaceAll('/', '\\');
  const clean = win32.normalize(path).replaceAll('\\', '/');
  const isIn = (name: string): boolean => clean === name || clean.startsWith(`${name}/`);
  for (const [name, place] of PLACES)
    if (isIn(name)) return win32.normalize(`${place}${clean.slice(name.length)}`);
  if (BELIEVED.some(isIn)) return win32.normalize(`${STATE}\\believed${clean}`);
  return win32.normalize(`${DRIVE}${clean.startsWith('/') ? '' : '/'}${clean}`);
}

/** A program of Windows itself, whatever PATH says. */
export function systemProgram(name: string): string {
  return `${process.env.SystemRoot ?? `${DRIVE}\\Windows`}\\System32\\${name}`;
}
