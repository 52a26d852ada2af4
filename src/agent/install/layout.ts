import { dirname, join, relative, resolve } from 'node:path/posix';
import { BINARY } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

/** Where packages put the binary, and their units, which name that path. */
export const PACKAGED_BINARY = '/usr/bin/slipway';
/** Flatcar's /usr is read-only; /opt/bin is in everybody's PATH there, and nowhere else. */
export const OPT_BINARY = '/opt/bin/slipway';
export const OPT_SHIM = '/opt/bin/kubeadm';
const PLACES = [BINARY, PACKAGED_BINARY, OPT_BINARY];
/** What the configs of ignition/ put first in the PATH of kubeadm.service; it needs no folder of /usr. */
export const IGNITION_SHIM = '/opt/slipway/bin/kubeadm';
const PACKAGE_UNITS = '/usr/lib/systemd/system';
/** A system extension is merged too late for links to count, and for the network; this target starts the other units. */
const EXTENSION_TARGET = `${PACKAGE_UNITS}/slipway-boot.target`;
/** Units that the operator or `slipway install` adds; packages have theirs below /usr/lib/systemd/system. */
export const UNITS = '/etc/systemd/system';

/** The units with the target that pulls each in at boot; another unit starts those that have none. */
export const WANTED_BY = {
  'slipway.service': 'multi-user.target',
  'slipway-network.service': 'multi-user.target',
  'slipway-report.service': 'sysinit.target',
  'slipway-checkin.service': undefined,
  'slipway-checkin.timer': undefined,
  'slipway-checkin.path': 'multi-user.target',
} as const;
export type UnitName = keyof typeof WANTED_BY;
/** Those of `install --report`. */
export const REPORT_UNITS = [
  'slipway-report.service',
  'slipway-checkin.service',
  'slipway-checkin.timer',
  'slipway-checkin.path',
] as const satisfies readonly UnitName[];

/** Where things lie in an image. Paths are those of the image. */
export interface InstallLayout {
  readonly binary: string;
  /** The binary is there because of a package, which also brings the units, and takes both away. */
  readonly packaged: boolean;
  /** The name under which cloud-init's scripts find Slipway before the real kubeadm. */
  readonly shim: string;
  /** What the shim links to. */
  readonly shimTarget: string;
}

/**
 * @param self the path of the running program, outside of any root
 */
export async function installLayout(host: Host, self: string): Promise<InstallLayout> {
  if ((await realPathIfPresent(host, PACKAGED_BINARY)) === self)
    return place(PACKAGED_BINARY, '/usr/local/bin/kubeadm');
  const release = (await host.files.readIfPresent('/etc/os-release', 65_536)) ?? Buffer.from('');
  if (/^ID=flatcar$/m.test(release.toString('utf8'))) return place(OPT_BINARY, OPT_SHIM);
  const isInOpt =
    self === (await realPathIfPresent(host, OPT_BINARY)) && self !== (await realPathIfPresent(host, BINARY));
  return place(isInOpt ? OPT_BINARY : BINARY, '/usr/local/bin/kubeadm');
}

function place(binary: string, shim: string): InstallLayout {
  return {
    binary,
    packaged: binary === PACKAGED_BINARY,
    shim,
    shimTarget: relative(dirname(shim), binary),
  };
}

/** The new link on its way to the shim's name; an install that was killed leaves it. */
export function pendingShimPath({ shim }: InstallLayout): string {
  return join(dirname(shim), '.kubeadm.slipway-new');
}

/** The path outside the root; undefined where nothing is there. */
export async function realPathIfPresent(host: Host, path: string): Promise<string | undefined> {
  return (await host.files.stat(path)) === undefined ? undefined : host.files.real(path);
}

/** The text of a unit for a binary at that place. */
export function unitFor(name: UnitName, { binary }: InstallLayout): string {
  return unitFile(name).replaceAll(BINARY, binary);
}

/** The link by which a target pulls a unit in; undefined for one that another unit starts. */
export function wantsLink(name: UnitName): string | undefined {
  const target = WANTED_BY[name];
  return target && `${UNITS}/${target}.wants/${name}`;
}

/** Does something pull the unit in at boot: a link of the operator, of a package, or the target of a system extension? */
export async function isEnabled(host: Host, name: UnitName): Promise<boolean> {
  if (await isExtension(host)) return true;
  for (const folder of [UNITS, PACKAGE_UNITS])
    if (await host.files.stat(`${folder}/${WANTED_BY[name]}.wants/${name}`)) return true;
  return false;
}

/** Is Slipway's system extension merged? */
export async function isExtension(host: Host): Promise<boolean> {
  return (await host.files.stat(EXTENSION_TARGET)) !== undefined;
}

/** Has the operator forbidden a unit to start, whoever enables it? */
export async function isMasked(host: Host, name: UnitName): Promise<boolean> {
  const path = `${UNITS}/${name}`;
  const there = await host.files.stat(path);
  return there?.kind === 'symlink' && (await host.files.readlink(path)) === '/dev/null';
}

/** What the shim's name is: a link to this place's binary, to Slipway at another one, or something else. */
type ShimIs = 'own' | 'slipway' | 'foreign' | 'absent';

export async function shimState(
  host: Host,
  { shim, binary }: Pick<InstallLayout, 'shim' | 'binary'>,
): Promise<ShimIs> {
  const present = await host.files.stat(shim);
  if (present === undefined) return 'absent';
  if (present.kind !== 'symlink') return 'foreign';
  const target = resolve(dirname(shim), await host.files.readlink(shim));
  if (target === binary) return 'own';
  return PLACES.includes(target) ? 'slipway' : 'foreign';
}

/** JSON: texts by the names of the files. */
declare const SLIPWAY_UNITS: string | undefined;

/**
 * The text of a unit file of systemd/, or of a file of windows/, which the build puts into the binary.
 *
 * @param name e.g. `slipway.service`
 * @throws Error where no build has put it in: `slipway install` copies a binary, so it needs one anyway.
 */
export function unitFile(name: string): string {
  const units: Readonly<Record<string, string>> =
    typeof SLIPWAY_UNITS === 'undefined' ? {} : JSON.parse(SLIPWAY_UNITS);
  const text = units[name];
  if (text === undefined) throw new Error(`${name} is not in this program; npm run build puts it in`);
  return text;
}
