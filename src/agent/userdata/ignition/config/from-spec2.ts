import { join } from 'node:path/posix';
import type { Remarks } from '../check/remarks.ts';
import type { Places } from '../schema/bind.ts';
import type {
  Config2,
  Disk2,
  File2,
  Filesystem2,
  Partition2,
  Storage2,
  Unit2,
  User2,
} from '../schema/spec2.ts';
import type { Config, Disk, File, Filesystem, Resource, Storage, Unit, User } from '../schema/spec3.ts';

/** What a config of spec 2 says, in the words of spec 3. Its references to other configs are followed before. */
export function fromSpec2(config: Config2, places: Places, say: Remarks): Config {
  const { ignition = {}, passwd, storage = {}, systemd, networkd = {} } = config;
  const { config: _, ...settings } = ignition;
  const as = <Of extends object>(made: Of, from: object): Of => {
    places.adopt(made, from);
    return made;
  };
  const roots = new Roots(storage, say);
  const files = (storage.files ?? []).flatMap((file) => {
    const path = roots.pathOf(file);
    return path === undefined ? [] : [as(fileOf(file, path), file)];
  });
  const network = (networkd.units ?? []).flatMap((unit) => [
    ...networkFile(unit, `/etc/systemd/network/${unit.name}`).map((file) => as(file, unit)),
    ...(unit.dropins ?? []).flatMap((dropIn) =>
      networkFile(dropIn, `/etc/systemd/network/${unit.name}.d/${dropIn.name}`).map((file) =>
        as(file, dropIn),
      ),
    ),
  ]);
  const nodes = <Node extends { filesystem?: string; path?: string }>(given: Node[] = []) =>
    given.flatMap((node) => {
      const { filesystem: _, ...rest } = node;
      const path = roots.pathOf(node);
      return path === undefined ? [] : [as({ ...rest, path }, node)];
    });
  const made: Storage = {
    files: [...files, ...network],
    directories: nodes(storage.directories).map((node) => as({ ...node, mode: node.mode ?? 0 }, node)),
    links: nodes(storage.links),
    disks: (storage.disks ?? []).map((disk) => as(diskOf(disk, as), disk)),
    raid: storage.raid ?? [],
    filesystems: (storage.filesystems ?? []).flatMap((one) => filesystemOf(one).map((made) => as(made, one))),
  };
  return {
    ignition: settings,
    passwd: {
      groups: passwd?.groups ?? [],
      users: (passwd?.users ?? []).map((user) => as(userOf(user), user)),
    },
    storage: made,
    systemd: { units: (systemd?.units ?? []).map((unit) => as(unitOf(unit), unit)) },
  };
}

/** Which directory a named file system of spec 2 stands for. */
class Roots {
  readonly #filesystems: Map<string, Filesystem2>;
  readonly #say: Remarks;

  constructor({ filesystems = [] }: Storage2, say: Remarks) {
    this.#filesystems = new Map(filesystems.map((one) => [one.name ?? '', one]));
    this.#say = say;
  }

  pathOf(node: { filesystem?: string; path?: string }): string | undefined {
    const { filesystem = '', path = '' } = node;
    const named = this.#filesystems.get(filesystem);
    if (named?.path !== undefined) return join(named.path, path);
    if (filesystem === 'root') return join('/', path);
    const why = named ? 'is mounted only by the initramfs' : 'is not a file system of this config';
    this.#say.error(node, ['filesystem'], `${why}; only root and file systems with a path can be written to`);
    return undefined;
  }
}

/** Without `overwrite`, a file of spec 2 takes the place of whatever is there. */
function fileOf(file: File2, path: string): File {
  const { contents = {}, append, mode, overwrite, user, group } = file;
  const owner = { ...(user ? { user } : {}), ...(group ? { group } : {}) };
  const source: Resource = { ...contents, source: contents.source ?? '' };
  if (append) return { path, append: [source], ...(mode === undefined ? {} : { mode }), ...owner };
  return { path, contents: source, mode: mode ?? 0, overwrite: overwrite ?? true, ...owner };
}

function networkFile({ contents }: { contents?: string }, path: string): File[] {
  if (!contents) return [];
  const source = `data:,${encodeURIComponent(contents)}`;
  return [{ path, contents: { source }, overwrite: true, mode: 0o644 }];
}

/** Sizes of spec 2 may be in sectors; a MiB has 2048 of them, by 512 bytes. */
function diskOf(disk: Disk2, as: <Of extends object>(made: Of, from: object) => Of): Disk {
  const { partitions = [], ...rest } = disk;
  return { ...rest, partitions: partitions.map((partition) => as(partitionOf(partition), partition)) };
}

function partitionOf({ size, start, ...rest }: Partition2): NonNullable<Disk['partitions']>[number] {
  return {
    ...rest,
    ...(size === undefined ? {} : { sizeMiB: Math.ceil(size / 2048) }),
    ...(start === undefined ? {} : { startMiB: start / 2048 }),
  };
}

function filesystemOf({ mount }: Filesystem2): Filesystem[] {
  if (!mount) return [];
  const { create, options = [], wipeFilesystem, ...rest } = mount;
  const made = create?.options ?? options;
  return [
    { ...rest, options: made, wipeFilesystem: create ? create.force === true : wipeFilesystem === true },
  ];
}

function userOf({ create, ...user }: User2): User {
  return create ? { ...user, ...create } : user;
}

/** Units and drop-ins without contents are not written. */
function unitOf({ enable, enabled, contents, dropins = [], mask, ...rest }: Unit2): Unit {
  const isEnabled = enabled ?? (enable === true ? true : undefined);
  return {
    ...rest,
    ...(contents ? { contents } : {}),
    ...(mask === true ? { mask } : {}),
    ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
    dropins: dropins.filter((dropIn) => dropIn.contents),
  };
}
