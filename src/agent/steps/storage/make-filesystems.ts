import { digest } from '../../../kit/digest.ts';
import type { FilesystemEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { DurableResult } from '../../host/processes.ts';
import { lastLines, runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { chooseTarget } from './choose-target.ts';
import { contentOf, refuseInUse } from './devices/content.ts';
import { findDevice, settle } from './devices/find-device.ts';
import { blkidType, mkfsCommand, withoutMkfs } from './mkfs-command.ts';
import { mountNow } from './mounts/mount-now.ts';

/**
 * Makes file systems (cloud-init's `cc_disk_setup`, Ignition's `createFilesystem`), and mounts those with a path, the shallowest
 * first. It keeps a matching one, keeps other content unless the document gives it up, and never touches a device in use.
 */
export const makeFilesystems: Work<{ entries: FilesystemEntry[] }> = ({ entries }) => ({
  onFailure: entries.some(({ isStrict }) => isStrict) ? 'stop' : 'continue',
  restsOn: ['disks', 'raid', 'luks'],
  async run(context) {
    const { host, signal } = context;
    const result = await eachEntry(entries, context, (entry) => make(entry, context));
    if (!result.done) return result;
    await settle(host, signal);
    const mounted = entries.filter(({ mount }) => mount !== undefined);
    if (host.root !== '/' || mounted.length === 0) return result;
    const inOrder = mounted.sort((a, b) => depth(a.mount?.path) - depth(b.mount?.path));
    return eachEntry(inOrder, context, ({ device, filesystem, mount = { path: '', options: [] } }) =>
      mountNow(host, { device, type: filesystem, ...mount }, signal),
    );
  },
});

function depth(path = ''): number {
  return path.split('/').filter((part) => part !== '').length;
}

async function make(entry: FilesystemEntry, context: StepContext): Promise<string> {
  const { host, signal, finding } = context;
  const { filesystem } = entry;
  const device = await findDevice(host, entry.device, signal);
  const target = await chooseTarget(entry, device, context);
  const { path } = target.device;
  const shown = entry.isStrict ? entry.device : path;
  const argv = await mkfsCommand(host, entry, path);
  const name = `mkfs-${digest(argv ?? []).slice(0, 12)}`;
  // The unfinished work of a program that still runs or was killed can look complete.
  const begun = await host.processes.findDurable(name);
  if (target.kind === 'keep' && !begun) return `${shown} has its ${filesystem}`;
  if (target.kind === 'leave' && !begun) {
    const message = `${entry.device} got no ${filesystem}: it holds ${target.holds}, and overwrite is not set.`;
    if (!entry.isStrict)
      await finding({ severity: 'warning', code: 'DiskLeftAlone', message, ...place(entry.where) });
    return `${shown} left alone`;
  }
  if (argv === undefined) throw withoutMkfs(entry);
  if (begun !== 'running') {
    await refuseInUse(host, target.device, `No ${filesystem} was made on ${shown}`);
    await host.processes.forgetDurable(name);
    const doing = `clear ${path} for a file system of type ${filesystem}`;
    if (entry.isStrict)
      await runTool(host, ['wipefs', '--all', path], { doing, code: 'FilesystemNotMade', signal });
  }
  try {
    const result = await host.processes.runDurable({ name, argv, env: { LC_ALL: 'C' }, signal });
    await check(entry, path, result, context);
  } finally {
    if (!signal.aborted) await host.processes.forgetDurable(name);
  }
  return `${filesystem} made on ${shown}`;
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
    throw new StepError('FilesystemNotMade', `Cannot ${doing}: ${how}`, more);
  }
  const { type } = await contentOf(host, path, 'FilesystemNotMade');
  if (type === blkidType(filesystem)) return;
  const found = type ?? 'nothing';
  throw new StepError(
    'FilesystemNotMade',
    `Cannot ${doing}: the program succeeded, but blkid finds ${found}`,
  );
}
