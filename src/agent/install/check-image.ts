import { dirname } from 'node:path/posix';
import { BINARY, STATE_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import {
  IGNITION_SHIM,
  type InstallLayout,
  installLayout,
  isEnabled,
  isMasked,
  OPT_BINARY,
  OPT_SHIM,
  PACKAGED_BINARY,
  realPathIfPresent,
  shimState,
  UNITS,
  type UnitName,
} from './layout.ts';

/**
 * Looks at an image for what a machine made of it will lack. What kubeadm and the kubelet need is not looked at here:
 * `slipway preflight` does that, on a machine that runs.
 *
 * @param self path of the running program
 */
export async function checkImage(host: Host, self: string): Promise<ImageCheck[]> {
  const place = await presentPlace(host, self);
  const isThere = (path: string) => host.files.stat(path).then((stat) => stat !== undefined);
  const machineId = (await host.files.readIfPresent('/etc/machine-id', 4096))?.toString('utf8').trim() ?? '';
  return [
    await lookAtProgram(host, place.binary),
    ...(place.packaged
      ? [
          imageCheck(
            "no other program comes before the package's",
            !(await isThere(BINARY)),
            `${BINARY} does, in PATH and by its units, whichever is newer: ${BINARY} uninstall, or remove the package`,
          ),
        ]
      : []),
    ...(await lookAtStart(host, place)),
    await lookAtUnit(
      host,
      'slipway-report.service',
      'nobody is told how the bootstrap goes: slipway install --report',
    ),
    await lookAtUnit(
      host,
      'slipway-checkin.path',
      'after its bootstrap no machine checks in, however much the controller asks for it: slipway install --report',
    ),
    imageCheck(
      'no state of another machine',
      !(await isThere(STATE_DIR)),
      `${STATE_DIR} is of the machine that the image was made of, and every machine of the image would go on with it: remove it`,
    ),
    imageCheck(
      'the machine has no id yet',
      ['', 'uninitialized'].includes(machineId),
      '/etc/machine-id would be the same on all machines of the image: empty it',
    ),
  ];
}

/** Where the image has the program, by a package or not; where it has none, where it would go. */
async function presentPlace(host: Host, self: string): Promise<InstallLayout> {
  return installLayout(host, (await realPathIfPresent(host, PACKAGED_BINARY)) ?? self);
}

async function lookAtProgram(host: Host, binary: string): Promise<ImageCheck> {
  const what = `the program is at ${binary}`;
  const real = await realPathIfPresent(host, binary).catch(() => undefined);
  const stat = real === undefined ? undefined : await host.ownFiles.stat(real);
  if (stat === undefined) return imageCheck(what, false, 'run slipway install');
  const runs = stat.kind === 'file' && (stat.mode & 0o111) !== 0;
  return imageCheck(what, runs, `nobody can run it: chmod 755 ${binary}`);
}

/** What starts Slipway at boot. On Flatcar that is in the config which Ignition gets, not in the image, until it was applied. */
async function lookAtStart(host: Host, place: InstallLayout): Promise<ImageCheck[]> {
  if (await isForIgnition(host, place))
    return [
      imageCheck('kubeadm is Slipway for kubeadm.service', true, ''),
      imageCheck(
        'slipway.service leaves the user data to Ignition',
        (await isMasked(host, 'slipway.service')) || !(await isEnabled(host, 'slipway.service')),
        'it would do again what Ignition has done: systemctl mask slipway.service',
      ),
    ];
  if (place.shim === OPT_SHIM) return [];
  if (await hasCloudInit(host))
    return [
      imageCheck(
        'kubeadm is Slipway for cloud-init',
        ['own', 'slipway'].includes(await shimState(host, place)),
        'cloud-init will call kubeadm itself: slipway install --shim',
      ),
    ];
  if (place.binary === OPT_BINARY) return [];
  return [
    await lookAtUnit(host, 'slipway.service', 'nothing starts Slipway at boot: slipway install --service'),
    await lookAtUnit(
      host,
      'slipway-network.service',
      'what is said of the network beside the user data is read late, and the network comes up without it: slipway install --service',
    ),
  ];
}

/** Has a config of ignition/ been applied: its link, and a drop-in with the link's folder in PATH? */
async function isForIgnition(host: Host, { binary }: InstallLayout): Promise<boolean> {
  if ((await shimState(host, { shim: IGNITION_SHIM, binary })) !== 'own') return false;
  const folder = `${UNITS}/kubeadm.service.d`;
  for (const name of await host.files.list(folder)) {
    const text = await host.files.readIfPresent(`${folder}/${name}`, 65_536).catch(() => undefined);
    if (text?.includes(dirname(IGNITION_SHIM))) return true;
  }
  return false;
}

/** As slipway.service itself decides it. */
async function hasCloudInit(host: Host): Promise<boolean> {
  if ((await host.files.stat('/usr/bin/cloud-init')) === undefined) return false;
  return (await host.files.stat('/etc/cloud/cloud-init.disabled')) === undefined;
}

async function lookAtUnit(host: Host, name: UnitName, why: string): Promise<ImageCheck> {
  const what = `${name} is enabled`;
  if (await isMasked(host, name)) return imageCheck(what, false, `it is masked: systemctl unmask ${name}`);
  return imageCheck(what, await isEnabled(host, name), why);
}

/** One thing that an image needs, or must not have. */
export interface ImageCheck {
  readonly what: string;
  readonly ok: boolean;
  /** What comes of it where it is not as it should be, and what helps. */
  readonly why?: string;
}

export function imageCheck(what: string, ok: boolean, why: string): ImageCheck {
  return ok ? { what, ok } : { what, ok, why };
}
