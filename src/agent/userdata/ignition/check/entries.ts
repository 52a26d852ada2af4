import { join, normalize } from 'node:path/posix';
import type { Config, Link, Owner, Storage } from '../schema/spec3.ts';
import type { Remarks } from './remarks.ts';
import { checkResource } from './resources.ts';
import { checkMode, pathProblem } from './values.ts';

/** Special bits mean something since 3.6. */
const SPECIAL_BITS_SINCE = 6;

/** Files, directories and links, each by itself and with the others. */
export function checkEntries(config: Config, minor: number, say: Remarks): void {
  const { storage = {} } = config;
  const { files = [], directories = [], links = [] } = storage;
  for (const node of [...files, ...directories, ...links]) {
    say.error(node, ['path'], pathProblem(node.path, true));
    checkOwner(node.user, say);
    checkOwner(node.group, say);
  }
  for (const node of [...files, ...directories]) {
    checkMode(node, minor >= SPECIAL_BITS_SINCE, say);
  }
  for (const file of files) {
    if (file.contents) checkResource(file.contents, minor, say, true);
    for (const addition of file.append ?? []) checkResource(addition, minor, say, true);
    if (file.overwrite === true && file.contents?.source === undefined)
      say.error(file, ['overwrite'], 'must not be true without contents.source');
  }
  checkLinks(storage, minor, say);
  checkAgainstUnits(config, say);
}

function checkOwner(owner: Owner | undefined, say: Remarks): void {
  if (owner?.id !== undefined && owner.name) say.error(owner, [], 'has both id and name');
}

function checkLinks(
  { files = [], directories = [], links = [] }: Storage,
  minor: number,
  say: Remarks,
): void {
  const linked = new Set(links.map(({ path }) => path));
  const through = (path = '') => directoriesOf(path).some((place) => linked.has(place));
  const isDirectory = new Set(directories.map(({ path }) => path));
  for (const node of [...directories, ...files, ...links]) {
    if (through(node.path)) say.error(node, [], 'is below a link of this config');
  }
  for (const link of links) {
    if (!link.target) {
      if (minor >= 3) say.error(link, ['target'], 'is missing');
      else say.error(link, ['target'], link.target === undefined ? 'is missing' : undefined);
      continue;
    }
    if (link.hard !== true) continue;
    const target = targetOf(link);
    if (isDirectory.has(target)) say.error(link, [], 'is a hard link to a directory');
    for (const who of ['user', 'group'] as const) {
      for (const key of ['id', 'name'] as const)
        if (link[who]?.[key] !== undefined)
          say.warn(link[who], [key], 'is ignored: a hard link has no owner of its own');
    }
  }
}

/** No path is longer (PATH_MAX). */
const LONGEST = 4096;

/** What stands before each slash of a path. */
function directoriesOf(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf('/', 1); at !== -1 && at < LONGEST; at = path.indexOf('/', at + 1))
    found.push(path.slice(0, at));
  return found;
}

/** Where a hard link leads; one that is not absolute counts from the link itself, as in Ignition. */
function targetOf({ path = '', target = '' }: Link): string {
  const clean = normalize(target).replace(/(.)\/$/, '$1');
  return clean.startsWith('/') ? clean : join(path, target);
}

/** A file, directory or link must not stand where a unit or a drop-in of the config is written. */
function checkAgainstUnits({ storage = {}, systemd = {} }: Config, say: Remarks): void {
  const taken = new Set<string>();
  for (const { name, contents, dropins = [] } of systemd.units ?? []) {
    if (contents) taken.add(`/etc/systemd/system/${name}`);
    for (const dropIn of dropins)
      if (dropIn.contents) taken.add(`/etc/systemd/system/${name}.d/${dropIn.name}`);
  }
  const { files = [], directories = [], links = [] } = storage;
  for (const node of [...files, ...directories, ...links]) {
    if (taken.has(node.path ?? '')) say.error(node, ['path'], 'is also written as a systemd unit or drop-in');
  }
}
