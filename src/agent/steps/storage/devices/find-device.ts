import type { BlockDevice } from '../../../host/block-devices.ts';
import type { Host } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';

/** A disk that is attached during boot appears within seconds; cloud-init waits only for udev. */
const WAIT_MS = 10_000;

/**
 * Waits for the device with this name from user data.
 * @throws Problem DiskNotFound
 */
export async function findDevice(host: Host, name: string, signal: AbortSignal): Promise<BlockDevice> {
  await settle(host, signal);
  const device = await waitFor(host, WAIT_MS, signal, () => lookUp(host, name));
  if (device) return device;
  throw new StepError('DiskNotFound', `There is no disk or partition ${name} (waited ${WAIT_MS / 1000} s)`);
}

/** Lets udev finish its work, if udev is there. */
export async function settle(host: Host, signal: AbortSignal): Promise<void> {
  if (host.root !== '/' || !(await host.files.stat('/run/udev/control'))) return;
  await host.processes.run({ argv: ['udevadm', 'settle', '--timeout=30'], timeoutMs: 40_000, signal });
}

/**
 * Without udev nobody makes the links in /dev/disk/by-label and by-uuid, so blkid answers for them. Only udev
 * makes the other kinds of links (by-id, by-path).
 */
export async function lookUp(host: Host, name: string): Promise<BlockDevice | undefined> {
  const device = await host.blockDevices.find(name);
  if (device) return device;
  const [, kind, value] = /^\/dev\/disk\/by-(label|uuid|partlabel|partuuid)\/(.+)$/.exec(name) ?? [];
  if (kind === undefined || value === undefined) return undefined;
  const path = await byTag(host, `${kind.toUpperCase()}=${decodeName(value)}`);
  return path === undefined ? undefined : host.blockDevices.find(path);
}

/** The node of the device with a tag such as `LABEL=data`, read from the devices; undefined if none. */
export async function byTag(host: Host, tag: string): Promise<string | undefined> {
  const { exitStatus, stdout } = await host.processes.run({
    argv: ['blkid', '--cache-file', '/dev/null', '--match-token', tag, '--output', 'device'],
    timeoutMs: 60_000,
  });
  const [path = ''] = stdout.split('\n');
  return exitStatus === 0 && path !== '' ? path : undefined;
}

/** In file names, udev writes unsuitable characters as \xNN. */
function decodeName(name: string): string {
  return name.replace(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const PAUSE_MS = 250;

/** Asks repeatedly until there is an answer, `ms` have passed, or the step has to stop. */
export async function waitFor<T>(
  host: Host,
  ms: number,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = host.clock.monotonic() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined || signal.aborted || host.clock.monotonic() >= end) return found;
    await host.clock.sleep(PAUSE_MS, signal);
  }
}
