import type { MountEntry } from '../../../document/document.ts';
import { isMetadataName } from '../../../document/storage.ts';
import type { StepContext } from '../../../engine/step.ts';
import type { Host } from '../../../host/host.ts';
import { stillStarting } from '../../../startup/starting.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import type { Work } from '../../kind/step-kind.ts';
import { eachEntry, place } from '../../tools/each-entry.ts';
import { byTag, lookUp, waitFor } from '../devices/find-device.ts';
import { type FstabFields, fieldsOf, isWithOthers, withMounts } from './fstab.ts';
import { isMountPoint } from './mount-now.ts';

const FSTAB = '/etc/fstab';
/** What cloud-init gives mounts that name none. */
const DEFAULT_OPTIONS = 'defaults,nofail,_netdev';

/**
 * Writes mounts into fstab, makes their mount points and mounts them (cloud-init's `cc_mounts`). It touches
 * nobody else's mounts. Below a root directory it mounts nothing, because that would mount it on the machine
 * that has the directory.
 */
export const mountFilesystems: Work<{ entries: MountEntry[] }> = ({ entries }) => ({
  onFailure: 'continue',
  restsOn: ['disks', 'raid', 'luks', 'filesystems'],
  async run(context) {
    const { host, signal } = context;
    const present = (await host.files.readIfPresent(FSTAB))?.toString('utf8') ?? '';
    const lines: { entry: MountEntry; fields: FstabFields }[] = [];
    for (const entry of entries) {
      const fields = await resolved(entry, context);
      if (fields && !isWithOthers(present, fields)) lines.push({ entry, fields });
    }
    const wanted = withMounts(
      present,
      lines.map(({ fields }) => fields),
    );
    if (wanted !== present) {
      await host.files.write(FSTAB, wanted);
      // systemd makes mount units from fstab; an outdated unit might undo this mount.
      if (await isSystemdRunning(host)) {
        await runTool(host, ['systemctl', 'daemon-reload'], {
          doing: 'tell systemd of fstab',
          code: 'MountFailed',
        });
      }
    }
    return eachEntry(lines, context, async ({ entry, fields }) => {
      const [spec, file] = fields;
      if (file.startsWith('/') && !(await host.files.stat(file))) await host.files.mkdir(file, 0o755);
      if (host.root !== '/') return `${file} in fstab`;
      const outcome = await activate(host, fields, signal);
      if (outcome === 'no-device') {
        // Where nofail is only cloud-init's default, nobody has said that the device may be missing.
        const starting =
          fields[3] === DEFAULT_OPTIONS ? await stillStarting(host, 'MountDeviceMissing') : undefined;
        if (starting !== undefined)
          throw new StepError(
            'MountDeviceMissing',
            `There is no device ${spec} for ${file} yet: ${starting}`,
          );
        await warn(context, entry, `${spec} was not mounted at ${file}: there is no such device (nofail).`);
        return `${file} without its device`;
      }
      return `${file} ${outcome === 'mounted' ? 'mounted' : outcome === 'was-mounted' ? 'was mounted' : 'in fstab'}`;
    });
  },
});

/** The line for fstab; undefined if the device cannot exist on this machine. */
async function resolved(entry: MountEntry, context: StepContext): Promise<FstabFields | undefined> {
  const fields = fieldsOf(entry);
  if (!fields) return undefined;
  const [name, file, ...rest] = fields;
  const source = await sourceOf(context.host, name);
  if (source.kind === 'metadata-name') {
    const message = `${name} was not mounted at ${file}: it is a cloud's own name for a disk, and nothing on this machine says which disk that is; name the device itself, or use LABEL=.`;
    await warn(context, entry, message);
    return undefined;
  }
  return [source.spec, file, ...rest];
}

function warn({ finding }: StepContext, entry: MountEntry, message: string): Promise<void> {
  return finding({ severity: 'warning', code: 'MountDeviceMissing', message, ...place(entry.where) });
}

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
async function activate(host: Host, fields: FstabFields, signal: AbortSignal): Promise<Activation> {
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

const TAG = /^(?:LABEL|UUID|PARTLABEL|PARTUUID|ID)=/;

/** The first field of a mount. */
type Source =
  | { kind: 'metadata-name' }
  /** `missing`: there is no such device (now). */
  | { kind: 'device'; spec: string; missing: boolean }
  /** LABEL=... and the like. */
  | { kind: 'tag'; spec: string }
  /** A network path, tmpfs, a file: nothing to look for. */
  | { kind: 'other'; spec: string };

/**
 * The first field of fstab for a device of user data (cloud-init's `sanitize_devname`): a disk means its
 * first partition if it has one, `/dev/sdb.2` means the second partition.
 */
async function sourceOf(host: Host, name: string): Promise<Source> {
  if (isMetadataName(name)) return { kind: 'metadata-name' };
  if (TAG.test(name)) return { kind: 'tag', spec: name };
  if (!name.startsWith('/dev/') || name.includes(':')) return { kind: 'other', spec: name };
  const device = await host.blockDevices.find(name);
  if (device?.kind === 'partition') return { kind: 'device', spec: name, missing: false };
  if (device) return { kind: 'device', spec: (await nthPartition(host, name, 1)) ?? name, missing: false };
  const [, disk, number] = /^(.*[^/])\.(\d+)$/.exec(name) ?? [];
  if (disk !== undefined && number !== undefined && (await host.blockDevices.find(disk))) {
    const spec = await nthPartition(host, disk, Number(number));
    return { kind: 'device', spec: spec ?? name, missing: spec === undefined };
  }
  return { kind: 'device', spec: name, missing: true };
}

/** Follows the style of the disk's own name, so that a name which survives reboots still does. */
async function nthPartition(host: Host, disk: string, number: number): Promise<string | undefined> {
  const suffixes = /\d$/.test(disk)
    ? [`p${number}`, `-part${number}`]
    : [`${number}`, `p${number}`, `-part${number}`];
  for (const suffix of suffixes) {
    if ((await host.blockDevices.find(disk + suffix))?.kind === 'partition') return disk + suffix;
  }
  return undefined;
}
