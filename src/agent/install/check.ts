import { STATE_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import {
  isShim,
  PACKAGED_BINARY,
  type Place,
  placeIn,
  realOrNothing,
  UNITS,
  type UnitName,
  WANTED_BY,
} from './place.ts';

/** One thing that an image needs, or must not have. */
export interface Look {
  readonly what: string;
  readonly ok: boolean;
  /** What comes of it where it is not as it should be, and what helps. */
  readonly why?: string;
}

const PACKAGE_UNITS = '/usr/lib/systemd/system';

/**
 * Looks at an image for what a machine made of it will lack. What kubeadm and the kubelet need is not looked at here;
 * that is `slipway preflight`.
 *
 * @param self path of the running program
 */
export async function checkImage(host: Host, self: string): Promise<Look[]> {
  const place = await presentPlace(host, self);
  const cloudInit = await hasCloudInit(host);
  const isThere = (path: string) => host.files.stat(path).then((stat) => stat !== undefined);
  const shim = (await isShim(host, place)) === true;
  const service = await isEnabled(host, 'slipway.service');
  const machineId = (await host.files.readIfPresent('/etc/machine-id', 4096))?.toString('utf8').trim() ?? '';
  return [
    look(`the program is at ${place.binary}`, await isThere(place.binary), 'run slipway install'),
    cloudInit
      ? look(
          'kubeadm is Slipway for cloud-init',
          shim,
          'cloud-init will call kubeadm itself: slipway install --shim',
        )
      : look(
          'slipway.service is enabled',
          service,
          'nothing starts Slipway at boot: slipway install --service',
        ),
    look(
      'slipway-report.service is enabled',
      await isEnabled(host, 'slipway-report.service'),
      'nobody is told how the bootstrap goes: slipway install --report',
    ),
    look(
      'no state of another machine',
      !(await isThere(STATE_DIR)),
      `${STATE_DIR} is of the machine that the image was made of, and every machine of the image would go on with it: remove it`,
    ),
    look(
      'the machine has no id yet',
      ['', 'uninitialized'].includes(machineId),
      '/etc/machine-id would be the same on all machines of the image: empty it',
    ),
  ];
}

function look(what: string, ok: boolean, why: string): Look {
  return ok ? { what, ok } : { what, ok, why };
}

/** Where the image has the program, by a package or not; where it has none, where it would go. */
async function presentPlace(host: Host, self: string): Promise<Place> {
  return placeIn(host, (await realOrNothing(host, PACKAGED_BINARY)) ?? self);
}

/** As slipway.service itself decides it. */
async function hasCloudInit(host: Host): Promise<boolean> {
  if ((await host.files.stat('/usr/bin/cloud-init')) === undefined) return false;
  return (await host.files.stat('/etc/cloud/cloud-init.disabled')) === undefined;
}

async function isEnabled(host: Host, name: UnitName): Promise<boolean> {
  for (const folder of [UNITS, PACKAGE_UNITS])
    if (await host.files.stat(`${folder}/${WANTED_BY[name]}.wants/${name}`)) return true;
  return false;
}
