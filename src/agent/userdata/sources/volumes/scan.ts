import { posix } from 'node:path';
import { type Host, HostError } from '../../../host/host.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import type { ReadAt, Volume } from '../images/volume.ts';

/** A block device with a file system that seeds come on. */
export interface ScannedVolume {
  /** Its device node. */
  device: string;
  labels: readonly string[];
  type?: Volume['type'];
}

/** Names of devices without anything for us behind them. */
const NEVER = /^(?:ram|zram|nbd|fd)\d/;
const BY_LABEL = '/dev/disk/by-label';

const scans = new WeakMap<PlatformInfo, Promise<ScannedVolume[]>>();

/**
 * The volumes with one of these labels: by udev's links if there are any, else by what lies on the devices. On Windows every disc,
 * too, as for cloudbase-init.
 */
export async function labelled(machine: PlatformInfo, labels: readonly string[]): Promise<ScannedVolume[]> {
  if (machine.host.platform === 'windows')
    return (await import('./drives.ts')).labelledDrives(machine.host, labels);
  const { files } = machine.host;
  const links = (await files.list(BY_LABEL)).filter((name) => labels.includes(unescaped(name)));
  const linked = await Promise.all(
    links.map(async (name) => ({
      device: posix.resolve(BY_LABEL, await files.readlink(`${BY_LABEL}/${name}`)),
      labels: [unescaped(name)],
    })),
  );
  if (linked.length > 0) return linked.sort((a, b) => (a.device < b.device ? 1 : -1));
  return (await scan(machine)).filter((volume) => volume.labels.some((label) => labels.includes(label)));
}

/** Every volume of iso9660, udf or vfat, on Windows every disc; the last device first. The devices are looked at once. */
export function scan(machine: PlatformInfo): Promise<ScannedVolume[]> {
  const known = scans.get(machine) ?? scanAll(machine.host);
  scans.set(machine, known);
  return known;
}

const scanAll = async (host: Host): Promise<ScannedVolume[]> =>
  host.platform === 'windows' ? (await import('./drives.ts')).opticalDrives(host) : scanDevices(host);

function absent(error: unknown): undefined {
  if (error instanceof HostError) return undefined;
  throw error;
}

async function scanDevices(host: Host): Promise<ScannedVolume[]> {
  const found: ScannedVolume[] = [];
  for (const name of (await deviceNames(host)).reverse()) {
    if (NEVER.test(name)) continue;
    const device = `/dev/${name.replaceAll('!', '/')}`;
    const volume = await opened(host, device);
    if (volume) found.push({ device, labels: volume.labels, type: volume.type });
  }
  return found;
}

/** The kernel's names of block devices; /proc/partitions is there without /sys too. */
async function deviceNames({ files }: Host): Promise<string[]> {
  const names = await files.list('/sys/class/block');
  if (names.length > 0) return names;
  const table = (await files.readIfPresent('/proc/partitions'))?.toString('latin1') ?? '';
  return [...table.matchAll(/^ *\d+ +\d+ +\d+ +(\S+)$/gm)].map(([, name = '']) => name);
}

/** Nothing where the device has no medium, or something on it that is none of these file systems. */
async function opened(host: Host, device: string): Promise<Volume | undefined> {
  const { openVolume } = await import('../images/open-volume.ts');
  return openVolume(readDevice(host, device)).catch(absent);
}

export function readDevice(host: Host, device: string): ReadAt {
  return (offset, length) => host.blockDevices.read(device, offset, length);
}

/** udev writes what is no plain character as \xNN. */
function unescaped(name: string): string {
  return name.replace(/\\x([0-9a-f]{2})/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
