import { BOOLEAN, INTEGER, list, plainList, STRING, since, struct, type Value } from './shape.ts';

/** Configs of spec 3.0 to 3.6, as the types of Ignition's config/v3_x/types have them. */
const VERIFICATION = struct({ hash: STRING });
const HTTP_HEADERS = list(struct({ name: STRING, value: STRING }), ({ name = '' }) => name);

/** @param compressed Since when it may be compressed. */
const resource = (compressed: number) =>
  struct({
    compression: since(compressed, STRING),
    httpHeaders: since(1, HTTP_HEADERS),
    source: STRING,
    verification: VERIFICATION,
  });
const CONTENTS = resource(0);
const REFERENCE = resource(1);
const bySource = ({ source = '' }: Value<typeof REFERENCE>) => source;

const OWNER = struct({ id: INTEGER, name: STRING });
const NODE = { group: OWNER, overwrite: BOOLEAN, path: STRING, user: OWNER };
const byPath = ({ path = '' }: { path?: string }) => path;
const byName = ({ name = '' }: { name?: string }) => name;
const byDevice = ({ device = '' }: { device?: string }) => device;

const PARTITION = struct({
  guid: STRING,
  label: STRING,
  number: INTEGER,
  resize: since(2, BOOLEAN),
  shouldExist: BOOLEAN,
  sizeMiB: INTEGER,
  startMiB: INTEGER,
  typeGuid: STRING,
  wipePartitionEntry: BOOLEAN,
});

const partitionKey = ({ number = 0, label }: Value<typeof PARTITION>) =>
  number !== 0 ? `number:${number}` : label === undefined ? '' : `label:${label}`;

const CLEVIS = struct({
  custom: struct({ config: STRING, needsNetwork: BOOLEAN, pin: STRING }),
  tang: list(
    struct({ advertisement: since(4, STRING), thumbprint: STRING, url: STRING }),
    ({ url = '' }) => url,
  ),
  threshold: INTEGER,
  tpm2: BOOLEAN,
});

const LUKS = struct({
  cex: since(5, struct({ enabled: BOOLEAN })),
  clevis: CLEVIS,
  device: STRING,
  discard: since(4, BOOLEAN),
  keyFile: CONTENTS,
  label: STRING,
  name: STRING,
  openOptions: since(4, list(STRING)),
  options: plainList(STRING),
  uuid: STRING,
  wipeVolume: BOOLEAN,
});

const STORAGE = struct({
  directories: list(struct({ ...NODE, mode: INTEGER }), byPath, 'node'),
  disks: list(
    struct({ device: STRING, partitions: list(PARTITION, partitionKey), wipeTable: BOOLEAN }),
    byDevice,
  ),
  files: list(
    struct({ ...NODE, append: plainList(CONTENTS), contents: CONTENTS, mode: INTEGER }),
    byPath,
    'node',
  ),
  filesystems: list(
    struct({
      device: STRING,
      format: STRING,
      label: STRING,
      mountOptions: since(1, plainList(STRING)),
      options: plainList(STRING),
      path: STRING,
      uuid: STRING,
      wipeFilesystem: BOOLEAN,
    }),
    byDevice,
  ),
  links: list(struct({ ...NODE, hard: BOOLEAN, target: STRING }), byPath, 'node'),
  luks: since(2, list(LUKS, byName)),
  raid: list(
    struct({
      devices: list(STRING),
      level: STRING,
      name: STRING,
      options: plainList(STRING),
      spares: INTEGER,
    }),
    byName,
  ),
});

const PASSWD = struct({
  groups: list(
    struct({
      gid: INTEGER,
      name: STRING,
      passwordHash: STRING,
      shouldExist: since(2, BOOLEAN),
      system: BOOLEAN,
    }),
    byName,
  ),
  users: list(
    struct({
      gecos: STRING,
      groups: list(STRING),
      homeDir: STRING,
      name: STRING,
      noCreateHome: BOOLEAN,
      noLogInit: BOOLEAN,
      noUserGroup: BOOLEAN,
      passwordHash: STRING,
      primaryGroup: STRING,
      sshAuthorizedKeys: list(STRING),
      shell: STRING,
      shouldExist: since(2, BOOLEAN),
      system: BOOLEAN,
      uid: INTEGER,
    }),
    byName,
  ),
});

export const CONFIG = struct({
  ignition: struct({
    config: struct({ merge: list(REFERENCE, bySource), replace: REFERENCE }),
    proxy: since(1, struct({ httpProxy: STRING, httpsProxy: STRING, noProxy: list(STRING) })),
    security: struct({ tls: struct({ certificateAuthorities: list(REFERENCE, bySource) }) }),
    timeouts: struct({ httpResponseHeaders: INTEGER, httpTotal: INTEGER }),
    version: STRING,
  }),
  kernelArguments: since(
    3,
    struct({
      shouldExist: list(STRING, undefined, 'argument'),
      shouldNotExist: list(STRING, undefined, 'argument'),
    }),
  ),
  passwd: PASSWD,
  storage: STORAGE,
  systemd: struct({
    units: list(
      struct({
        contents: STRING,
        dropins: list(struct({ contents: STRING, name: STRING }), byName),
        enabled: BOOLEAN,
        mask: BOOLEAN,
        name: STRING,
      }),
      byName,
    ),
  }),
});

export type Config = Value<typeof CONFIG>;
export type Ignition = NonNullable<Config['ignition']>;
export type Storage = NonNullable<Config['storage']>;
export type Resource = Value<typeof CONTENTS>;
export type Owner = Value<typeof OWNER>;
export type Partition = Value<typeof PARTITION>;
export type Disk = NonNullable<Storage['disks']>[number];
export type File = NonNullable<Storage['files']>[number];
export type Directory = NonNullable<Storage['directories']>[number];
export type Link = NonNullable<Storage['links']>[number];
export type Filesystem = NonNullable<Storage['filesystems']>[number];
export type Raid = NonNullable<Storage['raid']>[number];
export type Luks = Value<typeof LUKS>;
export type Unit = NonNullable<NonNullable<Config['systemd']>['units']>[number];
export type User = NonNullable<NonNullable<Config['passwd']>['users']>[number];
export type Group = NonNullable<NonNullable<Config['passwd']>['groups']>[number];
