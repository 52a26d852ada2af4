import { isJson } from '../../../text/own-document.ts';
import type { Shape, Struct } from '../schema/shape.ts';
import {
  CONFIG,
  type Config,
  type Disk,
  type Filesystem,
  type Luks,
  type Partition,
  type Storage,
  type Unit,
} from '../schema/spec3.ts';
import { parseUnit } from '../unit/unit-file.ts';
import { parseGoUrl, urlProblem } from '../url/urls.ts';
import { checkEntries } from './entries.ts';
import type { Remarks } from './remarks.ts';
import { checkIgnition, checkResource, schemesOf } from './resources.ts';
import {
  dropInNameProblem,
  guidProblem,
  labelProblem,
  partitionLabelProblem,
  pathProblem,
  raidProblem,
  unitNameProblem,
} from './values.ts';

/** What ignition-validate checks of a config of spec 3, whose minor version decides some of it. */
export function checkSpec3(config: Config, minor: number, say: Remarks): void {
  checkIgnition(config, minor, say);
  checkEntries(config, minor, say);
  checkDisks(config.storage ?? {}, say);
  checkVolumes(config.storage ?? {}, minor, say);
  checkUnits(config, say);
  checkDuplicates(config, CONFIG, say);
}

/** What Ignition says of disks and their partitions before it acts. */
function checkDisks({ disks = [] }: Storage, say: Remarks): void {
  for (const disk of disks) {
    if (!disk.device) {
      say.error(disk, ['device'], 'is missing');
      continue;
    }
    say.error(disk, ['device'], pathProblem(disk.device, true));
    checkTogether(disk, say);
    for (const partition of disk.partitions ?? []) checkPartition(partition, say);
  }
}

function checkPartition(partition: Partition, say: Remarks): void {
  const { number = 0, label, guid, typeGuid, startMiB, sizeMiB, shouldExist } = partition;
  const says = label !== undefined || guid || typeGuid || startMiB !== undefined || sizeMiB !== undefined;
  if (shouldExist === false && says)
    say.error(partition, [], 'has shouldExist: false, but sets more than a number');
  if (number === 0 && label === undefined) say.error(partition, [], 'needs a number or a label');
  if (label !== undefined) {
    const problem = label.includes(':') ? 'must not contain ":", at which sgdisk truncates it' : undefined;
    say.error(partition, ['label'], partitionLabelProblem(label) ?? problem);
  }
  say.error(partition, ['guid'], guidProblem(guid));
  say.error(partition, ['typeGuid'], guidProblem(typeGuid));
}

function checkTogether({ partitions = [] }: Disk, say: Remarks): void {
  const numbers = new Set<number>();
  const labels = new Set<string>();
  for (const partition of partitions) {
    const { number = 0, label } = partition;
    if (number !== 0 && numbers.has(number)) say.error(partition, [], 'has the number of another partition');
    numbers.add(number);
    if (label === undefined) continue;
    if (labels.has(label)) say.error(partition, [], 'has the label of another partition');
    labels.add(label);
  }
  const overlapping = partitions.find((one) => partitions.some((other) => overlap(one, other)));
  if (overlapping) say.error(overlapping, [], 'overlaps with another partition');
}

/** Only partitions with a start and a size are compared; 0 is wherever there is room. */
function overlap(one: Partition, other: Partition): boolean {
  const [a, b] = [extent(one), extent(other)];
  return a !== undefined && b !== undefined && one !== other && a.start <= b.end && b.start <= a.end;
}

function extent({ startMiB, sizeMiB }: Partition): { start: number; end: number } | undefined {
  if (startMiB === undefined || sizeMiB === undefined || startMiB === 0) return undefined;
  return { start: startMiB, end: sizeMiB === 0 ? startMiB : startMiB + sizeMiB - 1 };
}

/** Refuses items of a list that are the same: two files of one path, two units of one name. */
function checkDuplicates(value: object, shape: Struct, say: Remarks): void {
  const seen = new Map<string, Set<string>>();
  for (const [name, field] of Object.entries(shape.fields)) {
    const child: unknown = (value as Record<string, unknown>)[name];
    if (child === undefined) continue;
    if (field.shape.kind === 'list' && Array.isArray(child)) {
      const { item, key, together } = field.shape;
      checkList(child, key, groupOf(seen, together ?? name), say);
      for (const one of child) descend(one, item, say);
    } else descend(child, field.shape, say);
  }
}

function checkList(
  items: unknown[],
  key: ((item: never) => string) | undefined,
  seen: Set<string>,
  say: Remarks,
): void {
  if (key === undefined) return;
  items.forEach((item, index) => {
    const name = key(item as never);
    if (seen.has(name)) say.error(items, [index], 'is a duplicate');
    seen.add(name);
  });
}

function groupOf(seen: Map<string, Set<string>>, name: string): Set<string> {
  const group = seen.get(name) ?? new Set<string>();
  seen.set(name, group);
  return group;
}

function descend(value: unknown, shape: Shape, say: Remarks): void {
  if (shape.kind === 'struct' && typeof value === 'object' && value !== null)
    checkDuplicates(value, shape, say);
}

const INSTANCE = /^(.+?)@(.+?)\.service$/;

/** What Ignition 3 says of systemd's units and their drop-ins before it acts. */
function checkUnits({ systemd = {} }: Config, say: Remarks): void {
  const units = systemd.units ?? [];
  for (const unit of units) {
    const { name = '', contents, dropins = [] } = unit;
    say.error(unit, ['name'], nameProblem(name) ?? unitNameProblem(name));
    for (const dropIn of dropins) {
      const problem = parseUnit(dropIn.contents ?? '').problem;
      say.error(dropIn, ['contents'], problem && `is not a valid systemd unit: ${problem}`);
      const dropInName = dropIn.name ?? '';
      say.error(dropIn, ['name'], nameProblem(dropInName) ?? dropInNameProblem(dropInName));
    }
    const { problem, options } = parseUnit(contents ?? '');
    say.error(unit, ['contents'], problem && `is not a valid systemd unit: ${problem}`);
    if (problem === undefined && contents && unit.enabled === true) {
      if (!options.some(({ section }) => section === 'Install'))
        say.warn(unit, ['contents'], 'has no [Install] section, so enabling the unit does nothing');
    }
    checkInstance(unit, units, say);
  }
}

/** A name becomes a file's name, and must not lead anywhere else. */
function nameProblem(name: string): string | undefined {
  return /[/\0\s]/.test(name) ? 'must be a name without "/" and whitespace' : undefined;
}

function checkInstance(unit: Unit, units: readonly Unit[], say: Remarks): void {
  const [, prefix] = INSTANCE.exec(unit.name ?? '') ?? [];
  if (prefix === undefined || unit.enabled !== true) return;
  const template = units.findLast(({ name }) => name === `${prefix}@.service`);
  if (!template?.contents) return;
  const { problem, options } = parseUnit(template.contents);
  if (problem === undefined && !options.some(({ section }) => section === 'Install'))
    say.warn(unit, ['contents'], `comes from ${prefix}@.service, which has no [Install] section`);
}

const FORMATS = ['ext4', 'btrfs', 'xfs', 'swap', 'vfat'];
const PINS = ['tpm2', 'tang', 'sss'];

/** RAID arrays, LUKS volumes and file systems. */
function checkVolumes(storage: Storage, minor: number, say: Remarks): void {
  for (const raid of storage.raid ?? []) {
    const { level, devices = [], spares = 0 } = raid;
    say.error(raid, ['level'], level ? raidProblem(level, spares) : 'is missing');
    if (devices.length === 0) say.error(raid, ['devices'], 'has no device');
    for (const [index, device] of devices.entries()) say.error(devices, [index], pathProblem(device, true));
  }
  for (const luks of storage.luks ?? []) checkLuks(luks, minor, say);
  for (const filesystem of storage.filesystems ?? []) {
    checkFilesystem(filesystem, minor, say);
    const disk = (storage.disks ?? []).findLast(({ device }) => device === filesystem.device);
    if (!disk) continue;
    if ((disk.partitions ?? []).length > 0)
      say.warn(
        filesystem,
        ['device'],
        'is a disk that this config partitions; the file system would overwrite the partition table',
      );
    else if (filesystem.wipeFilesystem !== true && disk.wipeTable === true)
      say.warn(filesystem, ['device'], 'is a disk with wipeTable, so the file system is created again');
  }
}

function checkFilesystem(filesystem: Filesystem, minor: number, say: Remarks): void {
  const { device, path, format, label, uuid, wipeFilesystem, options = [], mountOptions = [] } = filesystem;
  if (path) say.error(filesystem, ['path'], pathProblem(path, true));
  say.error(filesystem, ['device'], pathProblem(device, true));
  if (!format) {
    const says = path || label || uuid || wipeFilesystem || options.length + mountOptions.length > 0;
    if (says) say.error(filesystem, ['format'], 'is missing');
    if (label) say.error(filesystem, ['label'], 'needs a format');
    return;
  }
  const known = minor >= 3 ? [...FORMATS, 'none'] : FORMATS;
  if (!known.includes(format)) say.error(filesystem, ['format'], `must be one of ${known.join(', ')}`);
  say.error(filesystem, ['label'], labelProblem(format, label ?? ''));
}

function checkLuks(luks: Luks, minor: number, say: Remarks): void {
  const { name = '', label, device, clevis = {}, keyFile = {}, cex = {} } = luks;
  if (name.includes('/')) say.error(luks, ['name'], 'must have no "/"');
  if (Buffer.byteLength(label ?? '') > 47) say.error(luks, ['label'], 'is longer than 47 characters');
  say.error(luks, ['device'], device ? pathProblem(device, true) : 'is missing');
  checkResource(keyFile, minor, say);
  if (keyFile.source && urlProblem(keyFile.source, schemesOf(minor)))
    say.error(luks, ['keyFile'], 'is not a valid key source');
  checkClevis(clevis, minor, say);
  const { custom, tang = [], tpm2, threshold = 0 } = clevis;
  const others = tang.length > 0 || tpm2 === true || threshold !== 0;
  const isCustom = minor === 2 ? custom !== undefined : Boolean(custom?.pin);
  if (isCustom && others) say.error(luks, ['clevis'], 'combines a custom pin with tang, tpm2 or threshold');
  if (cex.enabled !== true) return;
  if (others || custom?.pin) say.error(luks, ['cex'], 'cannot be combined with clevis');
  if (keyFile.source) say.error(luks, ['cex'], 'cannot be combined with a key file');
}

function checkClevis({ custom, tang = [] }: NonNullable<Luks['clevis']>, minor: number, say: Remarks): void {
  for (const server of tang) {
    const scheme = parseGoUrl(server.url ?? '')?.scheme;
    if (scheme !== 'http' && scheme !== 'https')
      say.error(server, ['url'], 'must begin with http: or https:');
    if (!server.thumbprint) say.error(server, ['thumbprint'], 'is missing');
    if (server.advertisement && !isJson(server.advertisement))
      say.error(server, ['advertisement'], 'is not JSON');
  }
  if (!custom) return;
  const { pin, config, needsNetwork } = custom;
  if (!pin && !config && !(minor >= 3 && needsNetwork)) return;
  if (!pin) say.error(custom, ['pin'], 'is missing');
  else if (minor < 6 && !PINS.includes(pin)) say.error(custom, ['pin'], `must be one of ${PINS.join(', ')}`);
  if (!config) say.error(custom, ['config'], 'is missing');
}
