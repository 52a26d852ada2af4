import type { ArrayEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import type { Content } from '../storage/devices/content.ts';
import { contentsOf, heldBy, refuseInUse } from '../storage/devices/content.ts';
import { findDevice } from '../storage/devices/find-device.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { begunNote, givenUuid, isSameUuid } from './begun.ts';

const MEMBER = 'linux_raid_member';
const MDADM_MS = 10 * 60_000;

interface Member {
  name: string;
  device: BlockDevice;
  content: Content;
  /** What mdadm tells of the array that the device is a member of. */
  mark?: ReadonlyMap<string, string>;
}

/**
 * Makes RAID arrays (Ignition's `createRaids`), of devices that hold nothing only. An array that is as asked stays, and is
 * assembled where nobody has; one that was cut off while it was made is made again.
 */
export const makeArrays: Work<{ entries: ArrayEntry[] }> = ({ entries }) => ({
  restsOn: ['disks'],
  run: (context) => eachEntry(entries, context, (entry) => make(entry, context)),
});

async function make(entry: ArrayEntry, context: StepContext): Promise<string> {
  const { host, signal } = context;
  const { where: _, ...spec } = entry;
  const note = begunNote(host, 'raid', spec);
  const begun = await note.read();
  const members = await membersOf(entry, context);
  const uuids = new Set(members.map(({ mark }) => mark?.get('MD_UUID')));
  const [uuid] = uuids;
  const isOwn =
    begun !== undefined && [...uuids].every((one) => one === undefined || isSameUuid(one, begun.uuid));
  // mdadm marks all members before it starts the array, so one with all marks lacks nothing. Old metadata have no name.
  const isWhole = isOwn && begun.isWhole;
  const isOne = uuid !== undefined && uuids.size === 1;
  if (isOne && (isWhole || members.every((member) => isAsAsked(entry, member)))) {
    await assemble(entry, members, context);
    if (isOwn) await note.write({ uuid: begun.uuid, isWhole: true });
    return `${entry.name} was there`;
  }
  const isUnfinished = isOwn && !begun.isWhole && members.some(({ mark }) => mark !== undefined);
  for (const member of members) refuseHeld(member, isUnfinished);
  if (isUnfinished) await clear(entry, members, context);
  for (const { name, device } of members) await refuseInUse(host, device, `${name} was not touched`);
  const made = givenUuid(entry.options) ?? host.uuid();
  await note.write({ uuid: made, isWhole: false });
  await dropLeftLink(host, entry.path);
  await create(entry, members, made, context);
  await findDevice(host, entry.path, signal);
  await note.write({ uuid: made, isWhole: true });
  return `${entry.name} made of ${members.length} devices`;
}

async function membersOf({ name, devices }: ArrayEntry, { host, signal }: StepContext): Promise<Member[]> {
  const members: Member[] = [];
  for (const device of devices) {
    const found = await findDevice(host, device, signal);
    if (members.some((other) => other.device.path === found.path))
      throw new StepError('ArrayNotMade', `${name} was not made: ${device} is a member of it twice`);
    const content = await contentsOf(host, found);
    const mark = content.type === MEMBER ? await examine(host, found) : undefined;
    members.push({ name: device, device: found, content, ...(mark ? { mark } : {}) });
  }
  return members;
}

async function examine(host: Host, { path }: BlockDevice): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runTool(host, ['mdadm', '--examine', '--export', path], {
    doing: `see which array ${path} belongs to`,
    code: 'ArrayNotMade',
  });
  return new Map(
    stdout.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
}

/** mdadm writes the host before the name: "any:data". */
function isAsAsked({ name, level, devices, spares }: ArrayEntry, { mark }: Member): boolean {
  const named = mark?.get('MD_NAME')?.split(':').at(-1);
  return (
    named === name.replace(/^.*\//, '') &&
    mark?.get('MD_LEVEL') === LEVELS[level] &&
    mark?.get('MD_DEVICES') === String(devices.length - spares)
  );
}

/** The other names that mdadm takes. */
const LEVELS: Readonly<Record<string, string>> = {
  ...{
    linear: 'linear',
    raid0: 'raid0',
    '0': 'raid0',
    stripe: 'raid0',
    raid1: 'raid1',
    '1': 'raid1',
    mirror: 'raid1',
  },
  ...{ raid4: 'raid4', '4': 'raid4', raid5: 'raid5', '5': 'raid5', raid6: 'raid6', '6': 'raid6' },
  ...{ raid10: 'raid10', '10': 'raid10' },
};

async function assemble(entry: ArrayEntry, members: Member[], context: StepContext): Promise<void> {
  const { host, signal } = context;
  const { name, path } = entry;
  if (await host.blockDevices.find(path)) return;
  for (const { name: member, device } of members)
    if (await host.blockDevices.isInUse(device.path))
      throw new StepError('DiskInUse', `${member} belongs to ${name}, which is up, but not as ${path}`);
  await dropLeftLink(host, path);
  await runTool(host, ['mdadm', '--assemble', path, ...members.map(({ device }) => device.path)], {
    doing: `assemble ${name}`,
    code: 'ArrayNotMade',
    signal,
  });
  await findDevice(host, path, signal);
}

/** Without udev the link of an array that was stopped stays, and mdadm would take another name for the next one. */
async function dropLeftLink({ blockDevices, files }: Host, path: string): Promise<void> {
  if (await blockDevices.find(path)) return;
  if ((await files.stat(path))?.kind === 'symlink') await files.remove(path);
}

/** What was begun holds nothing yet. */
async function clear(
  { name, path }: ArrayEntry,
  members: Member[],
  { host, signal }: StepContext,
): Promise<void> {
  const doing = `take apart ${name}, which was not finished`;
  const tool = { doing, code: 'ArrayNotMade', signal } as const;
  if (await host.blockDevices.find(path)) await runTool(host, ['mdadm', '--stop', path], tool);
  for (const { device, mark } of members)
    if (mark) await runTool(host, ['mdadm', '--zero-superblock', device.path], tool);
}

function refuseHeld({ name, device, content }: Member, isUnfinished: boolean): void {
  const held = heldBy(device, content);
  if (held !== undefined && !(isUnfinished && content.type === MEMBER))
    throw new StepError(
      'DiskLeftAlone',
      `${name} holds ${held}, and only what is empty becomes a member of an array; wipeTable and wipePartitionEntry give up what is there`,
    );
}

async function create(
  { name, level, spares, options }: ArrayEntry,
  members: Member[],
  uuid: string,
  { host, signal }: StepContext,
): Promise<void> {
  const doing = `make the array ${name}`;
  for (const { device, content } of members)
    if (content.table !== undefined)
      await runTool(host, ['wipefs', '--all', device.path], { doing, code: 'ArrayNotMade', signal });
  const paths = members.map(({ device }) => device.path);
  const argv: [string, ...string[]] = [
    ...(['mdadm', '--create', name, '--force', '--run', '--homehost', 'any', '--level', level] as const),
    ...['--raid-devices', String(paths.length - spares)],
    ...(spares > 0 ? ['--spare-devices', String(spares)] : []),
    // mdadm takes one only.
    ...(givenUuid(options) === undefined ? ['--uuid', uuid] : []),
    ...options,
    ...paths,
  ];
  await runTool(host, argv, { doing, code: 'ArrayNotMade', timeoutMs: MDADM_MS, signal });
}
