import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { byTag, lookUp } from '../devices/find-device.ts';
import { waitFor } from '../devices/wait.ts';
import type { FstabFields } from './fstab.ts';
import { isMountPoint } from './mount-now.ts';

/** An optional device (nofail) gets this much time, in case the previous program is just making it. */
const OPTIONAL_DEVICE_MS = 2000;
const DEVICE_MS = 10_000;
const MOUNT_MS = 90_000;

/** `no-device`: the device is missing, and its options allow that (nofail). */
type Activation = 'mounted' | 'was-mounted' | 'no-device' | 'not-automatic';

/**
 * Does for one line of fstab what `mount -a` and `swapon -a` do.
 * @throws Problem MountFailed, MountDeviceMissing, ToolMissing
 */
export async function activate(host: Host, fields: FstabFields, signal: AbortSignal): Promise<Activation> {
  const [spec, file, type, optionText] = fields;
  const options = optionText.split(',');
  if (options.includes('noauto')) return 'not-automatic';
  const isSwap = type === 'swap';
  if (!isSwap && !file.startsWith('/')) return 'not-automatic';
  if (!isSwap && (await isMountPoint(host, file))) return 'was-mounted';
  const isOptional = options.includes('nofail');
  if (!(await hasDevice(host, spec, isOptional ? OPTIONAL_DEVICE_MS : DEVICE_MS, signal))) {
    if (isOptional) return 'no-device';
    throw new StepError('MountDeviceMissing', `${spec} was not mounted at ${file}: there is no such device`);
  }
  if (isSwap) return swapOn(host, spec);
  await runTool(host, ['mount', '--', file], {
    doing: `mount ${spec} at ${file}`,
    code: 'MountFailed',
    timeoutMs: MOUNT_MS,
    signal,
  });
  return 'mounted';
}

async function hasDevice(host: Host, spec: string, ms: number, signal: AbortSignal): Promise<boolean> {
  const isTag = /^(?:LABEL|UUID|PARTLABEL|PARTUUID)=/.test(spec);
  if (!isTag && !spec.startsWith('/dev/')) return true;
  const found = await waitFor<unknown>(host, ms, signal, () =>
    isTag ? byTag(host, spec) : lookUp(host, spec),
  );
  return found !== undefined;
}

async function swapOn(host: Host, spec: string): Promise<Activation> {
  const device = /^[A-Z]+=/.test(spec) ? ((await byTag(host, spec)) ?? spec) : spec;
  const path = (await lookUp(host, device))?.path ?? device;
  const inUse = (await host.files.readIfPresent('/proc/swaps'))?.toString('utf8') ?? '';
  if (inUse.split('\n').some((line) => line.startsWith(`${path} `))) return 'was-mounted';
  await runTool(host, ['swapon', '--', path], { doing: `use ${spec} as swap`, code: 'MountFailed' });
  return 'mounted';
}
