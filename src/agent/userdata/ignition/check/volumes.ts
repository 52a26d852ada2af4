import { isJson } from '../../../text/is-json.ts';
import type { Filesystem, Luks, Storage } from '../schema/spec3.ts';
import { parseGoUrl } from '../url/go-url.ts';
import { urlProblem } from '../url/url-problem.ts';
import type { Remarks } from './remarks.ts';
import { checkResource, schemesOf } from './resources.ts';
import { labelProblem, pathProblem, raidProblem } from './values.ts';

const FORMATS = ['ext4', 'btrfs', 'xfs', 'swap', 'vfat'];
const PINS = ['tpm2', 'tang', 'sss'];

/** RAID arrays, LUKS volumes and file systems. */
export function checkVolumes(storage: Storage, minor: number, say: Remarks): void {
  for (const raid of storage.raid ?? []) {
    const { level, devices = [], spares = 0 } = raid;
    say.error(raid, ['level'], level ? raidProblem(level, spares) : 'is missing');
    if (devices.length === 0) say.error(raid, ['devices'], 'names no device');
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
        'is a disk that this config partitions; the file system would overwrite that',
      );
    else if (filesystem.wipeFilesystem !== true && disk.wipeTable === true)
      say.warn(filesystem, ['device'], 'is a disk with wipeTable, so the file system is made anew');
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
    say.error(luks, ['keyFile'], 'is no source of a key that can be read');
  checkClevis(clevis, minor, say);
  const { custom, tang = [], tpm2, threshold = 0 } = clevis;
  const others = tang.length > 0 || tpm2 === true || threshold !== 0;
  const isCustom = minor === 2 ? custom !== undefined : Boolean(custom?.pin);
  if (isCustom && others)
    say.error(luks, ['clevis'], 'has a custom pin together with tang, tpm2 or threshold');
  if (cex.enabled !== true) return;
  if (others || custom?.pin) say.error(luks, ['cex'], 'cannot go together with clevis');
  if (keyFile.source) say.error(luks, ['cex'], 'cannot go together with a key file');
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
