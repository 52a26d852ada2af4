import type { MountEntry } from '../../../document/document.ts';
import type { StepContext } from '../../../engine/step.ts';
import { stillStarting } from '../../../startup/starting.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import type { Work } from '../../kind/step-kind.ts';
import { eachEntry, place } from '../../tools/each-entry.ts';
import { activate } from './activate.ts';
import { type FstabFields, fieldsOf, isWithOthers, withMounts } from './fstab.ts';
import { sourceOf } from './mount-source.ts';

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
