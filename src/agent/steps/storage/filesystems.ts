import { digest } from '../../../kit/digest.ts';
import type { FilesystemEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { DurableResult } from '../../host/processes.ts';
import { Problem } from '../../tools/problem.ts';
import { lastLines } from '../../tools/tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { chooseTarget } from './choose-target.ts';
import { contentOf } from './content.ts';
import { findDevice, settle } from './find-device.ts';
import { blkidType, mkfsCommand } from './mkfs-command.ts';

/**
 * Makes file systems (cloud-init's `cc_disk_setup`, `mkfs`). It keeps a matching one, keeps other content
 * unless `overwrite` or `replace_fs` gives it up, and never touches a device in use.
 */
export const makeFilesystems: Work<{ entries: FilesystemEntry[] }> = ({ entries }) => ({
  onFailure: 'continue',
  restsOn: ['disks', 'raid', 'luks'],
  async run(context) {
    const result = await eachEntry(entries, context, (entry) => make(entry, context));
    if (result.done) await settle(context.host, context.signal);
    return result;
  },
});

async function make(entry: FilesystemEntry, context: StepContext): Promise<string> {
  const { host, signal, finding, doneOtherwise, isMissing } = context;
  const device = await findDevice(host, entry.device, signal);
  // What has been made holds the machine's own data by now.
  const made =
    (doneOtherwise || isMissing) &&
    (await chooseTarget(host, { ...entry, overwrite: false }, device, signal));
  const target =
    made && (made.kind === 'keep' || isMissing) ? made : await chooseTarget(host, entry, device, signal);
  const { path } = target.device;
  const argv = await mkfsCommand(host, entry, path);
  const name = `mkfs-${digest(argv).slice(0, 12)}`;
  // The unfinished work of a program that still runs or was killed can look complete.
  const begun = await host.processes.findDurable(name);
  if (target.kind === 'keep' && !begun) return `${path} has its ${entry.filesystem}`;
  if (target.kind === 'leave' && !begun) {
    const message = `${entry.device} got no ${entry.filesystem}: it holds ${target.holds}, and overwrite is not set.`;
    await finding({ severity: 'warning', code: 'DiskLeftAlone', message, ...place(entry.where) });
    return `${path} left alone`;
  }
  if (begun !== 'running' && (await host.blockDevices.isInUse(path))) {
    throw new Problem(
      'DiskInUse',
      `No ${entry.filesystem} was made on ${path}: it, or a partition of it, is in use`,
    );
  }
  if (begun !== 'running') await host.processes.forgetDurable(name);
  try {
    const result = await host.processes.runDurable({ name, argv, env: { LC_ALL: 'C' }, signal });
    await check(entry, path, result, context);
  } finally {
    if (!signal.aborted) await host.processes.forgetDurable(name);
  }
  return `${entry.filesystem} made on ${path}`;
}

/** @throws Problem FilesystemNotMade */
async function check(
  { filesystem }: FilesystemEntry,
  path: string,
  result: DurableResult,
  { host }: StepContext,
): Promise<void> {
  const doing = `make a file system of type ${filesystem} on ${path}`;
  const { exitStatus } = result;
  if (exitStatus !== 0) {
    const lines = lastLines(result);
    const how = lines.at(-1) ?? `the program ended with exit status ${exitStatus ?? 'unknown'}`;
    const more = { lines, ...(exitStatus === undefined ? {} : { exitStatus }) };
    throw new Problem('FilesystemNotMade', `Cannot ${doing}: ${how}`, more);
  }
  const { type } = await contentOf(host, path, 'FilesystemNotMade');
  if (type === blkidType(filesystem)) return;
  const found = type ?? 'nothing';
  throw new Problem('FilesystemNotMade', `Cannot ${doing}: the program succeeded, but blkid finds ${found}`);
}
