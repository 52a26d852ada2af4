import { sensitive } from '../../../secrets/sensitive.ts';
import type { Document } from '../../document/document.ts';
import type { Cloud } from '../../platform/instance/instance.ts';
import { Diagnostics, printable } from '../../text/diagnostics.ts';
import { unknownKeyMessage } from '../../text/yaml/fields.ts';
import { describe, type MappingEntry, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { readHostname } from '../instance/hostname.ts';
import { keysOfSource } from '../instance/public-keys.ts';
import { readSlipway, type SlipwayKey } from '../node-settings/slipway.ts';
import { withDefaultUser } from './accounts/default-user.ts';
import { readUsersAndGroups, refuseUnnamed } from './accounts/users.ts';
import { readBootcmd, readRuncmd } from './commands/runcmd.ts';
import { readWriteFiles } from './files/write-files.ts';
import { readNtp, type TimeTemplates } from './ntp.ts';
import { warnOfShapes } from './shape/check-keys.ts';
import { readAliases } from './storage/devices.ts';
import { readDiskSetup } from './storage/disk-setup.ts';
import { readFsSetup } from './storage/fs-setup.ts';
import { readMounts } from './storage/mounts.ts';
import { readSystem } from './system/read-system.ts';
import { readSaidLogin } from './system/ssh.ts';

/** The part of a document that cloud-config provides. */
export interface Content {
  document: Pick<
    Document,
    'files' | 'bootCommands' | 'commands' | 'users' | 'groups' | 'disks' | 'filesystems' | 'mounts'
  > &
    Partial<
      Pick<
        Document,
        | 'bareDefaultUser'
        | 'hostname'
        | 'ignored'
        | 'keepsName'
        | 'keys'
        | 'ntp'
        | 'saidLogin'
        | 'saidName'
        | 'unknownKeys'
        | 'system'
      >
    >;
  slipway: SlipwayKey;
}

const NULL: YamlNode = { kind: 'null', where: { line: 1, column: 1 } };

/** The top-level keys of a cloud-config, merged over the parts of a multipart. */
type TopLevel = ReadonlyMap<string, MappingEntry>;

/** The entries of a cloud-config's root; none for an empty document. */
export function topLevel(root: YamlNode, diagnostics: Diagnostics): TopLevel {
  if (root.kind === 'mapping')
    return new Map(root.entries.map((entry) => [pythonText(entry.key) ?? '', entry]));
  if (root.kind !== 'null') {
    diagnostics.error(
      'UserDataInvalid',
      `cloud-config must be a mapping of keys such as write_files, not ${describe(root)}.`,
      root.where,
    );
  }
  return new Map();
}

/** Keys that count before the parts are one. */
const READ_BEFORE: readonly string[] = ['vendor_data', 'launch-index', 'merge_how', 'merge_type'];

const PASSWORDS: readonly string[] = ['password', 'chpasswd'];

/** What the source of the user data knows beside it, and how a template within them is rendered. */
interface Told extends TimeTemplates {
  metaData: Record<string, unknown>;
  deviceAliases?: Readonly<Record<string, string>>;
  cloud?: Pick<Cloud, 'publicKeys' | 'keysByUser'>;
}

/** Reads every key that Slipway acts upon and warns of every other. Errors go to `diagnostics`; it throws none. */
export function readCloudConfig(
  keys: TopLevel,
  { metaData, deviceAliases = {}, cloud, ...templates }: Told,
  diagnostics: Diagnostics,
): Content {
  const asked = new Set<string>();
  const find = (name: string): YamlNode | undefined => {
    asked.add(name);
    return keys.get(name)?.value;
  };
  const get = (name: string): YamlNode => find(name) ?? NULL;
  const aliases = readAliases(find('device_aliases'), deviceAliases, diagnostics);
  const names = {
    hostname: find('hostname'),
    fqdn: find('fqdn'),
    preserve_hostname: find('preserve_hostname'),
    prefer_fqdn_over_hostname: find('prefer_fqdn_over_hostname'),
    create_hostname_file: find('create_hostname_file'),
  };
  const { hostname, said, isPreserved } = readHostname(names, metaData, diagnostics);
  const ntpNode = find('ntp');
  const ntp = ntpNode === undefined ? undefined : readNtp(ntpNode, templates, diagnostics);
  refuseUnnamed(find('users'), diagnostics);
  const { users, defaultUser, why, bare } = withDefaultUser(find('users'), find('user'), find('system_info'));
  const letIn = {
    why,
    publicKeys: keysOfSource({ metaData, ...(cloud ? { cloud } : {}) }, defaultUser),
    ...(defaultUser === undefined ? {} : { defaultUser }),
  };
  const system = readSystem((name) => present(find(name)), {
    ...{ report: diagnostics, ...letIn },
    ...(hostname === undefined ? {} : { hostname }),
  });
  const document: Content['document'] = {
    ...(system === undefined ? {} : { system }),
    ...(hostname === undefined || isPreserved ? {} : { hostname }),
    ...(said === undefined ? {} : { saidName: said }),
    // What is wrong with it has been told.
    saidLogin: readSaidLogin((name) => present(find(name)), new Diagnostics(), defaultUser),
    ...(isPreserved ? { keepsName: true } : {}),
    files: readWriteFiles(get('write_files'), diagnostics),
    bootCommands: readBootcmd(get('bootcmd'), diagnostics),
    commands: readRuncmd(get('runcmd'), diagnostics),
    ...readUsersAndGroups(users, find('groups'), letIn, diagnostics),
    ...(ntp === undefined ? {} : { ntp }),
    disks: readDiskSetup(get('disk_setup'), aliases, diagnostics),
    filesystems: readFsSetup(get('fs_setup'), aliases, diagnostics),
    mounts: readMounts(get('mounts'), find('mount_default_fields'), aliases, diagnostics),
  };
  const slipway = readSlipway(get('slipway'), diagnostics);
  const unknownKeys: Document['unknownKeys'] = [];
  const ignored: string[] = [];
  for (const [name, { key, value }] of keys) {
    // Passwords may be for a user that this image does not have.
    if (!asked.has(name) || PASSWORDS.includes(name))
      for (const line of linesOf(name, value)) ignored.push(line);
    if (asked.has(name) || READ_BEFORE.includes(name)) continue;
    const isKnown = Object.hasOwn(KNOWN_KEYS, name);
    if (!isKnown) unknownKeys.push({ name, where: key.where });
    if (diagnostics.isFull('warning')) continue;
    const why = isKnown ? KNOWN_KEYS[name] : unknownKeyMessage(name, asked);
    diagnostics.warn('UserDataIgnoredKey', `${printable(name)} ${why}; it is ignored.`, key.where);
  }
  warnOfShapes(keys, diagnostics);
  return {
    document: {
      ...document,
      keys: [...keys].map(([name, { key }]) => ({ name, where: key.where })),
      ...(ignored.length > 0 ? { ignored: sensitive(ignored.join('\n')) } : {}),
      ...(unknownKeys.length > 0 ? { unknownKeys } : {}),
      ...(bare === undefined ? {} : { bareDefaultUser: bare }),
    },
    slipway,
  };
}

/** Each text below a node behind the name of its key. chpasswd's old list has lines of its own, `user:password`. */
function linesOf(name: string, node: YamlNode): string[] {
  if (node.kind === 'mapping')
    return node.entries.flatMap(({ key, value }) =>
      linesOf(
        name === 'chpasswd' && pythonText(key) === 'list' ? 'passwords' : (pythonText(key) ?? ''),
        value,
      ),
    );
  if (node.kind === 'sequence') return node.items.flatMap((item) => linesOf(name, item));
  const text = pythonText(node) ?? '';
  if (name !== 'passwords') return [`${name}: ${text}`];
  return text.split('\n').map((line) => `password: ${line.slice(line.indexOf(':') + 1)}`);
}

const present = (node: YamlNode | undefined): YamlNode | undefined =>
  node?.kind === 'null' ? undefined : node;

/**
 * Why keys of cloud-config that cloud-init knows have no effect here, and what has. Keys that neither this table
 * nor the reader has are "not known". See docs/user-data.md.
 */
const IMAGE = 'belongs in the image';
const HARMLESS = 'has no effect on a Kubernetes node';
const OWN = 'configures cloud-init itself';
const MESSAGES = 'configures messages of cloud-init';
const OTHER_TOOL = 'hands the machine to another tool; call it from runcmd';
const SUBSCRIPTION = 'is a distribution subscription; register it from runcmd';

const KNOWN_KEYS: Readonly<Record<string, string>> = {
  ansible: OTHER_TOOL,
  apk_repos: IMAGE,
  apt_pipelining: IMAGE,
  authkey_hash: MESSAGES,
  autoinstall: IMAGE,
  byobu_by_default: HARMLESS,
  chef: OTHER_TOOL,
  cloud_config_modules: OWN,
  cloud_final_modules: OWN,
  cloud_init_modules: OWN,
  datasource: OWN,
  datasource_list: OWN,
  debug: OWN,
  disable_ec2_metadata: 'would block the kubelet as well; add the route from runcmd',
  drivers: IMAGE,
  fan: HARMLESS,
  'grub-dpkg': IMAGE,
  grub_dpkg: IMAGE,
  landscape: SUBSCRIPTION,
  lxd: 'is not supported; set up LXD from runcmd',
  mcollective: OTHER_TOOL,
  network:
    'is not read from user data, and cloud-init ignores it there too; provide it beside the user data (docs/network.md)',
  no_ssh_fingerprints: MESSAGES,
  output: OWN,
  puppet: OTHER_TOOL,
  reporting: OWN,
  rh_subscription: SUBSCRIPTION,
  rpi: IMAGE,
  rsyslog: 'is not written; write a file in /etc/rsyslog.d with write_files instead',
  salt_minion: OTHER_TOOL,
  snap: 'is not supported; install snaps from runcmd',
  spacewalk: SUBSCRIPTION,
  ssh: MESSAGES,
  ssh_fp_console_blacklist: MESSAGES,
  ssh_key_console_blacklist: MESSAGES,
  ssh_publish_hostkeys: "would write into the cloud's metadata, which Slipway never does",
  ubuntu_advantage: SUBSCRIPTION,
  ubuntu_pro: SUBSCRIPTION,
  updates: 'is not supported; slipway bootstrap --again applies changes',
  wireguard: 'is not set up; use write_files and runcmd instead',
};
