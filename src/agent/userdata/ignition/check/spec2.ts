import type { Config2, Disk2, Filesystem2, Partition2, Storage2, User2 } from '../schema/spec2.ts';
import { parseUnit } from '../unit/unit-file.ts';
import { parseGoUrl, type Schemes, urlProblem } from '../url/urls.ts';
import type { Remarks } from './remarks.ts';
import {
  checkMode,
  compressionProblem,
  dropInNameProblem,
  guidProblem,
  hashProblem,
  labelProblem,
  partitionLabelProblem,
  pathProblem,
  raidProblem,
  unitNameProblem,
} from './values.ts';

/** What Flatcar's ignition-validate checks of a config of spec 2. */
export function checkSpec2(config: Config2, minor: number, say: Remarks): void {
  const { ignition = {}, storage = {}, passwd = {} } = config;
  const { append = [], replace } = ignition.config ?? {};
  const authorities = ignition.security?.tls?.certificateAuthorities ?? [];
  for (const reference of [...append, ...(replace ? [replace] : []), ...authorities])
    checkSource(reference, minor, say);
  checkNodes(storage, minor, say);
  for (const disk of storage.disks ?? []) checkDisk(disk, minor, say);
  for (const filesystem of storage.filesystems ?? []) checkFilesystem(filesystem, minor, say);
  for (const raid of storage.raid ?? []) {
    say.error(raid, ['level'], raidProblem(raid.level ?? '', raid.spares ?? 0));
    for (const [index, device] of (raid.devices ?? []).entries())
      say.error(raid.devices ?? [], [index], pathProblem(device, false));
  }
  checkUnits2(config, say);
  for (const user of passwd.users ?? []) checkUser(user, say);
}

type Source2 = NonNullable<NonNullable<NonNullable<Storage2['files']>[number]['contents']>>;

function schemesOf(minor: number): Schemes {
  return { plain: ['http', 'https', 'oem', ...(minor >= 1 ? ['tftp', 's3'] : [])], arn: false };
}

function checkSource(resource: Omit<Source2, 'compression'>, minor: number, say: Remarks): void {
  const { source, verification = {}, httpHeaders = [] } = resource;
  if (source) say.error(resource, ['source'], urlProblem(source, schemesOf(minor)));
  say.error(verification, ['hash'], hashProblem(verification.hash, ['sha512']));
  if (httpHeaders.length === 0) return;
  const scheme = parseGoUrl(source ?? '')?.scheme;
  if (scheme !== 'http' && scheme !== 'https')
    say.error(resource, ['httpHeaders'], 'can only be sent to a source that begins with http: or https:');
  const names = new Set<string>();
  for (const header of httpHeaders) {
    const { name = '' } = header;
    if (name === '') say.error(header, ['name'], 'is empty');
    else if (names.has(name)) say.error(header, [], 'is a duplicate');
    names.add(name);
  }
}

function checkNodes(
  { files = [], directories = [], links = [], ...rest }: Storage2,
  minor: number,
  say: Remarks,
): void {
  const known = new Set(['root', ...(rest.filesystems ?? []).map(({ name = '' }) => name)]);
  for (const node of [...files, ...directories, ...links]) {
    const { filesystem = '', user, group } = node;
    if (filesystem === '') say.error(node, ['filesystem'], 'is missing');
    else if (!known.has(filesystem)) say.warn(node, ['filesystem'], 'is not a file system of this config');
    say.error(node, ['path'], pathProblem(node.path, false));
    for (const owner of [user, group])
      if (owner?.id !== undefined && owner.name) say.error(owner, [], 'has both id and name');
  }
  for (const node of [...files, ...directories]) {
    checkMode(node, false, say);
    const stays = 'append' in node && node.append === true;
    if (node.mode === undefined && !stays) say.warn(node, [], 'has no mode, so only root can read it (0000)');
  }
  for (const file of files) {
    if (file.overwrite === true && file.append === true) say.error(file, [], 'has both append and overwrite');
    if (!file.contents) continue;
    say.error(file.contents, ['compression'], compressionProblem(file.contents.compression));
    checkSource(file.contents, minor, say);
  }
}

function checkDisk(disk: Disk2, minor: number, say: Remarks): void {
  const { device, partitions = [] } = disk;
  if (!device) say.error(disk, ['device'], 'is missing');
  else say.error(disk, ['device'], pathProblem(device, false));
  const together = (message: string | false) => say.error(disk, ['partitions'], message || undefined);
  const numbers = partitions.map(({ number = 0 }) => number).filter((number) => number !== 0);
  together(new Set(numbers).size < numbers.length && 'use a number twice');
  together(partitions.some((one) => partitions.some((other) => overlap(one, other, minor))) && 'overlap');
  together(
    partitions.some(({ start = 0 }) => start % 2048 !== 0) && 'must begin at multiples of 2048 sectors',
  );
  const gone = partitions.some(({ shouldExist }) => shouldExist === false);
  together(
    gone && partitions.some(({ number = 0 }) => number === 0) && 'need numbers if shouldExist is false',
  );
  const [sectors, mebibytes] = [partitions.some(inSectors), partitions.some(inMebibytes)];
  together(sectors && mebibytes && 'give sizes both in sectors and in MiB');
  for (const partition of partitions) {
    const { label, typeGuid, guid, shouldExist } = partition;
    if (shouldExist === false && (label !== undefined || typeGuid || guid || inSectors(partition)))
      say.error(partition, [], 'has shouldExist: false, but sets more than a number');
    if (label !== undefined) say.error(partition, ['label'], partitionLabelProblem(label));
    if (label?.includes(':')) say.warn(partition, ['label'], 'is truncated at its ":"');
    say.error(partition, ['typeGuid'], guidProblem(typeGuid));
    say.error(partition, ['guid'], guidProblem(guid));
  }
}

function inSectors({ size, start }: Partition2): boolean {
  return size !== undefined || start !== undefined;
}

function inMebibytes({ sizeMiB, startMiB }: Partition2): boolean {
  return sizeMiB !== undefined || startMiB !== undefined;
}

/** Before 2.3 a size or start that is missing is 0. */
function overlap(one: Partition2, other: Partition2, minor: number): boolean {
  const extent = ({ start, size }: Partition2) => {
    const [from, length] = minor >= 3 ? [start, size] : [start ?? 0, size ?? 0];
    if (from === undefined || length === undefined || from === 0) return undefined;
    return { from, to: length === 0 ? from : from + length - 1 };
  };
  const [a, b] = [extent(one), extent(other)];
  return one !== other && a !== undefined && b !== undefined && a.from <= b.to && b.from <= a.to;
}

function checkFilesystem(filesystem: Filesystem2, minor: number, say: Remarks): void {
  const { mount, path } = filesystem;
  if (!mount && path === undefined) say.error(filesystem, [], 'has neither mount nor path');
  if (mount && path !== undefined) say.error(filesystem, [], 'has both mount and path');
  if (path !== undefined) say.error(filesystem, ['path'], pathProblem(path, false));
  if (!mount) return;
  const formats = ['ext4', 'btrfs', 'xfs', ...(minor >= 1 ? ['swap', 'vfat'] : [])];
  if (!formats.includes(mount.format ?? ''))
    say.error(mount, ['format'], `must be one of ${formats.join(', ')}`);
  say.error(mount, ['device'], pathProblem(mount.device, false));
  say.error(mount, ['label'], labelProblem(mount.format ?? '', mount.label ?? ''));
  if (!mount.create) return;
  if (mount.wipeFilesystem) say.error(mount, [], 'has both create and wipeFilesystem');
  if ((mount.options ?? []).length > 0) say.error(mount, [], 'has both create and options');
}

function checkUser(user: User2, say: Remarks): void {
  if (!user.create) return;
  const { create: _, name: __, passwordHash: ___, sshAuthorizedKeys: ____, ...beside } = user;
  for (const [key, value] of Object.entries(beside)) {
    if (value === '' || value === false || (Array.isArray(value) && value.length === 0)) continue;
    say.error(user, [key], 'cannot be combined with create');
  }
}

const NETWORK_TYPES = /\.(?:link|netdev|network)$/;

/** What Ignition 2 says of the units of systemd and networkd before it acts. */
function checkUnits2({ systemd = {}, networkd = {} }: Config2, say: Remarks): void {
  for (const unit of systemd.units ?? []) {
    const { name = '', contents = '', enable, enabled } = unit;
    say.error(unit, ['name'], slash(name) ?? unitNameProblem(name));
    const { problem, options } = parseUnit(contents);
    say.error(unit, ['contents'], problem && `is not a valid systemd unit: ${problem}`);
    const isEnabled = enable === true || enabled === true;
    if (isEnabled && contents !== '' && problem === undefined && options.length > 0) {
      if (!options.some(({ section }) => section === 'Install'))
        say.warn(unit, ['contents'], 'has no [Install] section, so enabling the unit does nothing');
    }
  }
  for (const unit of networkd.units ?? []) {
    const { name = '' } = unit;
    const wrong = NETWORK_TYPES.test(name) ? undefined : 'must end in .link, .netdev or .network';
    say.error(unit, ['name'], slash(name) ?? wrong);
    const { problem } = parseUnit(unit.contents ?? '');
    say.error(unit, ['contents'], problem && `is not a valid networkd unit: ${problem}`);
  }
  for (const unit of [...(systemd.units ?? []), ...(networkd.units ?? [])]) {
    for (const dropIn of unit.dropins ?? []) {
      const { name = '', contents = '' } = dropIn;
      say.error(dropIn, ['name'], slash(name) ?? dropInNameProblem(name));
      const { problem } = parseUnit(contents);
      say.error(dropIn, ['contents'], problem && `is not a valid systemd unit: ${problem}`);
    }
  }
}

/** A name becomes a file's name, and must not lead anywhere else. */
function slash(name: string): string | undefined {
  return /[/\0]/.test(name) ? 'must be a name without "/"' : undefined;
}
