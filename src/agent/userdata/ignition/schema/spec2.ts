import { BOOLEAN, INTEGER, plainList, STRING, since, struct, type Value } from './shape.ts';

/** Configs of spec 2.0 to 2.4, as the types of Flatcar's config/v2_x/types have them. Any item may stand twice. */
const VERIFICATION = struct({ hash: STRING });
const HTTP_HEADERS = plainList(struct({ name: STRING, value: STRING }));
const REFERENCE = struct({
  httpHeaders: since(4, HTTP_HEADERS),
  source: STRING,
  verification: VERIFICATION,
});
const OWNER = struct({ id: INTEGER, name: since(1, STRING) });
const NODE = {
  filesystem: STRING,
  group: OWNER,
  overwrite: since(2, BOOLEAN),
  path: STRING,
  user: OWNER,
};

const PARTITION = struct({
  guid: since(1, STRING),
  label: STRING,
  number: INTEGER,
  shouldExist: since(3, BOOLEAN),
  size: INTEGER,
  sizeMiB: since(3, INTEGER),
  start: INTEGER,
  startMiB: since(3, INTEGER),
  typeGuid: STRING,
  wipePartitionEntry: since(3, BOOLEAN),
});

const CREATION = {
  gecos: STRING,
  groups: plainList(STRING),
  homeDir: STRING,
  noCreateHome: BOOLEAN,
  noLogInit: BOOLEAN,
  noUserGroup: BOOLEAN,
  primaryGroup: STRING,
  shell: STRING,
  system: BOOLEAN,
  uid: INTEGER,
};

const USER = struct({
  create: struct(CREATION),
  gecos: since(1, STRING),
  groups: since(1, plainList(STRING)),
  homeDir: since(1, STRING),
  name: STRING,
  noCreateHome: since(1, BOOLEAN),
  noLogInit: since(1, BOOLEAN),
  noUserGroup: since(1, BOOLEAN),
  passwordHash: STRING,
  primaryGroup: since(1, STRING),
  sshAuthorizedKeys: plainList(STRING),
  shell: since(1, STRING),
  system: since(1, BOOLEAN),
  uid: since(1, INTEGER),
});

const FILESYSTEM = struct({
  mount: struct({
    create: struct({ force: BOOLEAN, options: plainList(STRING) }),
    device: STRING,
    format: STRING,
    label: since(1, STRING),
    options: since(1, plainList(STRING)),
    uuid: since(1, STRING),
    wipeFilesystem: since(1, BOOLEAN),
  }),
  name: STRING,
  path: STRING,
});

const DROPINS = plainList(struct({ contents: STRING, name: STRING }));

export const CONFIG_2 = struct({
  ignition: struct({
    config: struct({ append: plainList(REFERENCE), replace: REFERENCE }),
    proxy: since(4, struct({ httpProxy: STRING, httpsProxy: STRING, noProxy: plainList(STRING) })),
    security: since(2, struct({ tls: struct({ certificateAuthorities: plainList(REFERENCE) }) })),
    timeouts: since(1, struct({ httpResponseHeaders: INTEGER, httpTotal: INTEGER })),
    version: STRING,
  }),
  networkd: struct({
    units: plainList(struct({ contents: STRING, dropins: since(2, DROPINS), name: STRING })),
  }),
  passwd: struct({
    groups: plainList(struct({ gid: INTEGER, name: STRING, passwordHash: STRING, system: BOOLEAN })),
    users: plainList(USER),
  }),
  storage: struct({
    directories: since(1, plainList(struct({ ...NODE, mode: INTEGER }))),
    disks: plainList(struct({ device: STRING, partitions: plainList(PARTITION), wipeTable: BOOLEAN })),
    files: plainList(
      struct({
        ...NODE,
        append: since(2, BOOLEAN),
        contents: struct({
          compression: STRING,
          httpHeaders: since(4, HTTP_HEADERS),
          source: STRING,
          verification: VERIFICATION,
        }),
        mode: INTEGER,
      }),
    ),
    filesystems: plainList(FILESYSTEM),
    links: since(1, plainList(struct({ ...NODE, hard: BOOLEAN, target: STRING }))),
    raid: plainList(
      struct({
        devices: plainList(STRING),
        level: STRING,
        name: STRING,
        options: since(2, plainList(STRING)),
        spares: INTEGER,
      }),
    ),
  }),
  systemd: struct({
    units: plainList(
      struct({
        contents: STRING,
        dropins: DROPINS,
        enable: BOOLEAN,
        enabled: since(1, BOOLEAN),
        mask: BOOLEAN,
        name: STRING,
      }),
    ),
  }),
});

export type Config2 = Value<typeof CONFIG_2>;
export type Storage2 = NonNullable<Config2['storage']>;
export type Disk2 = NonNullable<Storage2['disks']>[number];
export type Partition2 = Value<typeof PARTITION>;
export type Filesystem2 = Value<typeof FILESYSTEM>;
export type File2 = NonNullable<Storage2['files']>[number];
export type User2 = Value<typeof USER>;
export type Unit2 = NonNullable<NonNullable<Config2['systemd']>['units']>[number];
