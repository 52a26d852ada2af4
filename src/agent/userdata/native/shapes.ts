import { EXPECTED_NUMBERS, EXPECTED_WORDS } from '../../document/node-settings.ts';
import {
  anything,
  bool,
  either,
  like,
  list,
  map,
  nothing,
  oneOf,
  type Shape,
  table,
  text,
  wholeNumber,
} from '../../text/shape/shape.ts';

export const API_VERSION = 'slipway.dev/v1alpha1';
export const KIND = 'UserData';

const texts = list(text);
const path = like(/^\//, 'an absolute path');
const mode = like(/^0?[0-7]{3,4}$/, "an octal mode in quotes, such as '0644'");
/** Text, or bytes that are none. */
const content = either(text, map({ base64: text }, ['base64']));
const named = list(map({ name: text, content: text }, ['name', 'content']));
const remote = map(
  {
    url: text,
    headers: list(map({ name: text, value: text }, ['name', 'value'])),
    isCompressed: bool,
    hash: like(/^sha(?:256-[0-9a-f]{64}|512-[0-9a-f]{128})$/, 'sha256-... or sha512-...'),
  },
  ['url'],
);
const rule = map(
  { present: oneOf('remove', 'refuse', 'keep'), unsaid: list(oneOf('mode', 'user', 'group')) },
  ['present'],
);
const command = map({ kind: oneOf('command'), shell: text, program: text }, ['shell']);
const call = map(
  {
    kind: oneOf('kubeadm'),
    verb: oneOf('init', 'join'),
    args: texts,
    environment: list(like(/^[A-Za-z_][A-Za-z0-9_]*=/, 'NAME=value')),
    withoutExports: bool,
    configPath: path,
    endpoints: texts,
    patches: path,
    sentinel: path,
  },
  ['kind', 'verb'],
);
const proxy = map({ http: text, https: text, except: texts });

const ACCOUNTS: Record<string, Shape> = {
  groups: list(
    map(
      {
        name: text,
        members: texts,
        exact: map({ exists: bool, gid: wholeNumber(0), passwordHash: text, system: bool }),
      },
      ['name'],
    ),
  ),
  users: list(
    map(
      {
        name: text,
        gecos: text,
        homedir: path,
        shell: text,
        uid: wholeNumber(0),
        primaryGroup: text,
        groups: texts,
        system: bool,
        noCreateHome: bool,
        noUserGroup: bool,
        inactive: text,
        expiredate: text,
        passwordHash: text,
        initialPasswordHash: text,
        plainPassword: text,
        lockPassword: bool,
        sudo: texts,
        doas: texts,
        selinuxUser: text,
        createsGroups: bool,
        noLogInit: bool,
        sshAuthorizedKeys: texts,
        importIds: texts,
        exact: map({ exists: bool, noLogInit: bool }),
      },
      ['name'],
    ),
  ),
};

const FILES: Record<string, Shape> = {
  files: list(
    map({ path, mode, owner: text, append: bool, defer: bool, rule, from: remote, content }, ['path']),
  ),
  directories: list(map({ path, mode, owner: text, rule }, ['path'])),
  links: list(map({ path, target: text, hard: bool, owner: text, overwrite: bool }, ['path', 'target'])),
  fetching: map({ proxy, authorities: texts, remoteAuthorities: list(remote), totalSeconds: wholeNumber(0) }),
  units: list(map({ name: text, enabled: bool, masked: bool, content: text, dropIns: named }, ['name'])),
  kubeadmUnit: map({ requires: texts, wants: texts, after: texts }),
};

/** It is a name of a file below /dev too. */
const volumeName = like(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,126}$/, 'a name of letters, digits and . _ + -');
const argument = like(/^[!#%&(-Z[\]^_a-~]+$/, 'one argument without spaces, quotes, $ and backslashes');

const STORAGE: Record<string, Shape> = {
  kernelArguments: map({ present: list(argument), absent: list(argument) }),
  arrays: list(
    map(
      {
        name: like(
          /^(?:\/dev\/(?:md\/)?)?[A-Za-z0-9_][A-Za-z0-9_.+-]{0,126}$/,
          'a name, or a path below /dev/md',
        ),
        path: like(/^\/dev\/(?:md\/)?[A-Za-z0-9_][A-Za-z0-9_.+-]{0,126}$/, 'a path below /dev/md'),
        level: text,
        devices: list(path, { min: 1 }),
        spares: wholeNumber(0),
        options: texts,
      },
      ['name', 'path', 'level', 'devices'],
    ),
  ),
  encryptions: list(
    map(
      {
        name: volumeName,
        device: path,
        label: text,
        uuid: like(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'a UUID'),
        options: texts,
        openOptions: texts,
        discard: bool,
        wipe: bool,
        key: map({ content, from: remote }),
        clevis: map({ pin: text, config: text, asks: texts, needsNetwork: bool, isTried: bool }, [
          'pin',
          'config',
        ]),
      },
      ['name', 'device'],
    ),
  ),
  disks: list(
    map(
      {
        device: path,
        tableType: oneOf('mbr', 'gpt'),
        layout: either(bool, list(map({ percent: wholeNumber(1), code: text }, ['percent']))),
        overwrite: bool,
      },
      ['device'],
    ),
  ),
  filesystems: list(
    map(
      {
        device: path,
        filesystem: text,
        label: text,
        partition: text,
        overwrite: bool,
        replaceFs: text,
        extraOpts: texts,
        command: texts,
      },
      ['device', 'filesystem'],
    ),
  ),
  mounts: list(map({ fields: list(either(text, nothing), { min: 6, max: 6 }) }, ['fields'])),
  partitionings: list(
    map(
      {
        device: path,
        wipe: bool,
        partitions: list(
          map({
            number: wholeNumber(0),
            label: text,
            startMiB: wholeNumber(0),
            sizeMiB: wholeNumber(0),
            typeGuid: text,
            guid: text,
            exists: bool,
            wipe: bool,
            resize: bool,
          }),
        ),
      },
      ['device'],
    ),
  ),
  volumes: list(
    map(
      {
        device: path,
        format: oneOf('ext4', 'btrfs', 'xfs', 'swap', 'vfat'),
        label: text,
        uuid: text,
        options: texts,
        wipe: bool,
        mount: map({ path, options: texts }, ['path']),
      },
      ['device', 'format'],
    ),
  ),
};

const mirror = map(
  {
    url: text,
    ca: text,
    skipVerify: bool,
    overridePath: bool,
    capabilities: list(oneOf('pull', 'resolve', 'push')),
  },
  ['url'],
);
const registry = map({ host: text, server: text, ca: text, skipVerify: bool, mirrors: list(mirror) }, [
  'host',
]);

const amount = either(text, wholeNumber(0));
const expectations = map({
  unmet: oneOf('fail', 'warn'),
  ...Object.fromEntries(EXPECTED_NUMBERS.map((what) => [what, amount])),
  ...Object.fromEntries(EXPECTED_WORDS.map((what) => [what, text])),
  secureBoot: bool,
  gpus: either(amount, list(map({ model: text }, ['model']))),
  disks: list(map({ size: amount, rotational: bool, model: text })),
});

const secrets = map({
  age: map({ identities: list(path, { min: 1 }) }, ['identities']),
  aws: map({ region: text, endpoint: text }),
  vault: map(
    {
      address: text,
      namespace: text,
      ca: text,
      appRole: map({ mount: text, roleId: text, secretId: text, secretIdFile: path, wrappedSecretId: text }, [
        'roleId',
      ]),
      certificate: map({ mount: text, role: text, certificateFile: path, keyFile: path }, [
        'certificateFile',
        'keyFile',
      ]),
      tokenFile: path,
    },
    ['address'],
  ),
  azure: map({ clientId: text }),
});

const NODE: Record<string, Shape> = {
  node: map({
    kernel: map({ modules: texts, sysctls: table(text) }),
    proxy,
    containerd: map({
      cgroupDriver: oneOf('systemd', 'cgroupfs'),
      sandboxImage: text,
      registries: list(registry),
    }),
    kubeadm: map({ staticPods: named, patches: named }),
    labels: table(text),
    expect: expectations,
    secrets,
  }),
  preflight: map({ mend: bool }),
  withoutKubeadm: bool,
  wipe: bool,
  isMetadataGuarded: bool,
  onError: oneOf('stop', 'continue'),
  deadlineSeconds: wholeNumber(1, 1_000_000),
};

/** The one document, as it stands in a file: all formats of user data become this, and it is one itself. */
export const DOCUMENT_SHAPE: Extract<Shape, { kind: 'map' }> = {
  kind: 'map',
  required: ['apiVersion', 'kind'],
  min: 0,
  keys: {
    apiVersion: oneOf(API_VERSION),
    kind: oneOf(KIND),
    order: oneOf('cloud-init', 'ignition'),
    hostname: map({ name: text, fqdn: text, prefersFqdn: bool, keepsNoFile: bool }),
    keepHostname: bool,
    ...FILES,
    ...STORAGE,
    ...ACCOUNTS,
    ntp: map({
      enabled: bool,
      servers: texts,
      pools: texts,
      peers: texts,
      allow: texts,
      client: text,
      own: map({ path, content: text, program: text, packages: texts, unit: text }),
    }),
    system: anything,
    ...NODE,
    bootCommands: list(command),
    bootScripts: list(command),
    shell: text,
    commands: list(either(command, call)),
  },
};
