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
            !(await isThere(BINARY)),
            "the package's program is the only one",
            `${BINARY} takes precedence over the package, in PATH and in its units, whichever is newer; run ${BINARY} uninstall, or remove the package`,
          ),
        ]
      : []),
    ...(await lookAtStart(host, place)),
    await lookAtUnit(
      host,
      'slipway-report.service',
      'progress is not reported; run slipway install --report',
    ),
    await lookAtUnit(
      host,
      'slipway-checkin.path',
      'machines do not check in after their bootstrap, even if the controller asks them to; run slipway install --report',
    ),
    imageCheck(
      !(await isThere(STATE_DIR)),
      `${STATE_DIR} is absent`,
      `${STATE_DIR} has the state of the machine that the image was built on, and machines made from the image would continue from it; remove it`,
    ),
    imageCheck(
      ['', 'uninitialized'].includes(machineId),
      '/etc/machine-id is empty',
      '/etc/machine-id is set and would be the same on all machines made from the image; empty it',
    ),
  ];
}

/** Where the image has the program, by a package or not; where it has none, where it would go. */
async function presentPlace(host: Host, self: string): Promise<InstallLayout> {
  return installLayout(host, (await realPathIfPresent(host, PACKAGED_BINARY)) ?? self);
}

async function lookAtProgram(host: Host, binary: string): Promise<ImageCheck> {
  const real = await realPathIfPresent(host, binary).catch(() => undefined);
  const stat = real === undefined ? undefined : await host.ownFiles.stat(real);
  if (stat === undefined) return imageCheck(false, '', `${binary} is missing; run slipway install`);
  const runs = stat.kind === 'file' && (stat.mode & 0o111) !== 0;
  return imageCheck(
    runs,
    `the program is at ${binary}`,
    `${binary} is not executable; run chmod 755 ${binary}`,
  );
}

/** What starts Slipway at boot. On Flatcar that is in the config which Ignition gets, not in the image, until it was applied. */
async function lookAtStart(host: Host, place: InstallLayout): Promise<ImageCheck[]> {
  if (await isForIgnition(host, place))
    return [
      imageCheck(true, 'kubeadm.service calls Slipway as kubeadm', ''),
      imageCheck(
        (await isMasked(host, 'slipway.service')) || !(await isEnabled(host, 'slipway.service')),
        'slipway.service leaves the user data to Ignition',
        'slipway.service is enabled and would apply the user data after Ignition has; run systemctl mask slipway.service',
      ),
    ];
  if (place.shim === OPT_SHIM) return [];
  if (await hasCloudInit(host))
    return [
      imageCheck(
        ['own', 'slipway'].includes(await shimState(host, place)),
        'cloud-init calls Slipway as kubeadm',
        'cloud-init would call the real kubeadm; run slipway install --shim',
      ),
    ];
  if (place.binary === OPT_BINARY) return [];
  return [
    await lookAtUnit(
      host,
      'slipway.service',
      'nothing starts Slipway at boot; run slipway install --service',
    ),
    await lookAtUnit(
      host,
      'slipway-network.service',
      'the network starts without the network configuration of the seed; run slipway install --service',
    ),
  ];
}

/** What puts Ignition into the initramfs of Fedora CoreOS. */
const IGNITION_MODULE = '/usr/lib/dracut/modules.d/30ignition';

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

/** Whether cloud-init is installed and enabled, by the same rule as in slipway.service. */
async function hasCloudInit(host: Host): Promise<boolean> {
  if ((await host.files.stat('/usr/bin/cloud-init')) === undefined) return false;
  return (await host.files.stat('/etc/cloud/cloud-init.disabled')) === undefined;
}

/** Whether the image has what calls kubeadm, and with it the shim: cloud-init or Ignition. */
export async function hasCaller(host: Host, self: string): Promise<boolean> {
  if (await hasCloudInit(host)) return true;
  // Flatcar's /usr is read-only, so its programs are in /opt; Ignition itself is in its initramfs only.
  if ((await presentPlace(host, self)).shim === OPT_SHIM) return true;
  return (await host.files.stat(IGNITION_MODULE)) !== undefined;
}

/** @param consequence what happens without the unit, and the command that enables it */
async function lookAtUnit(host: Host, name: UnitName, consequence: string): Promise<ImageCheck> {
  if (await isMasked(host, name))
    return imageCheck(false, '', `${name} is masked; run systemctl unmask ${name}`);
  return imageCheck(
    await isEnabled(host, name),
    `${name} is enabled`,
    `${name} is not enabled: ${consequence}`,
  );
}

/** One thing that an image needs, or must not have. */
export interface ImageCheck {
  readonly ok: boolean;
  /** What is as it should be; otherwise what is wrong, what that causes and how to fix it. */
  readonly text: string;
}

/** A check with the text for either result. */
export function imageCheck(ok: boolean, good: string, wrong: string): ImageCheck {
  return { ok, text: ok ? good : wrong };
}
