/**
 * The document: user data in one normalised shape, whatever its format was.
 *
 * Readers of user data make it, and the plan reads it. It holds data, no behaviour. `Sensitive` wraps every
 * content that may hold a secret, so that no formatter, logger or serialiser prints it by accident.
 */
import type { Sensitive } from '../../kit/secrets/sensitive.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { SealedStub } from '../../protocol/sealed-stub.ts';
import type { ChunkedUserData } from './chunked.ts';
import type { NetworkSettings } from './network-settings.ts';
import type { NodeLabel, NodeSettings } from './node-settings.ts';
import type { SystemSettings } from './system-settings.ts';

export interface Document {
  format: 'cloud-config' | 'ignition' | 'none';
  /** Instance metadata from the source. */
  instance: InstanceData;
  /** The machine's name, if user data or metadata says one. */
  hostname?: Hostname;
  /** What the machine's network is to be; it comes from the source, the image or the kernel command line. */
  network?: NetworkSettings;
  /** In the order given; a later entry for the same path acts on the result of the earlier one. */
  files: FileEntry[];
  /** Directories and links of Ignition; with its files they are made from the shallowest path to the deepest. */
  directories?: DirectoryEntry[];
  links?: LinkEntry[];
  /** How contents are fetched that do not lie in the document. */
  fetching?: FetchSettings;
  /** Disks and file systems of Ignition. */
  partitionings?: PartitioningEntry[];
  kernelArguments?: KernelArgumentsEntry;
  arrays?: ArrayEntry[];
  encryptions?: EncryptionEntry[];
  volumes?: VolumeEntry[];
  /** Units of systemd, in the order given. */
  units?: UnitEntry[];
  /** What the unit that called kubeadm, and whose place Slipway takes, had asked systemd for. */
  kubeadmUnit?: UnitNeeds;
  /** Run at every boot before files are written (cloud-init `bootcmd`). */
  bootCommands: Command[];
  /** Scripts of every boot, before `commands` (x-shellscript-per-boot). */
  bootScripts?: Command[];
  /**
   * Run once per instance, in one shell, after everything else (cloud-init `runcmd`). The kubeadm line is an
   * item of its own.
   */
  commands: (Command | KubeadmCommand)[];
  /** The shell of `commands`; without it, /bin/sh. */
  shell?: string;
  users: UserEntry[];
  /** The groups to create, with their members. */
  groups: GroupEntry[];
  ntp?: NtpSettings;
  /** What is asked of the operating system beside that. */
  system?: SystemSettings;
  preflight?: PreflightSettings;
  /** The node's settings beside kubeadm. */
  node?: NodeSettings;
  disks: DiskEntry[];
  filesystems: FilesystemEntry[];
  mounts: MountEntry[];
  /** Errors and warnings from reading; Slipway never acts upon a document with an error. */
  report: ReportEntry[];
  /** False: secrets stay in the user data's copies after success. */
  wipe?: boolean;
  /** Does a command that fails end the bootstrap? Default `continue`, as with cloud-init. */
  onError?: 'stop' | 'continue';
  /** The operator keeps pods away from the metadata service. */
  isMetadataGuarded?: boolean;
  /** These user data have done their work before, and have lost their secrets since. */
  isWiped?: boolean;
  /** It was said that no node is to be made: `slipway: {kubeadm: none}`. */
  withoutKubeadm?: boolean;
  /** These user data only say where the real ones are, and how they open. */
  sealed?: SealedStub;
  /** These say only where the user data lie in pieces. */
  chunked?: ChunkedUserData;
  /** Where other configs lay that are a part of these; they were fetched when these were read. */
  asked?: RemoteContent[];
  /** What stands behind keys that are ignored, as lines `name: value`: cloud-init may act upon it, and secrets are among it. */
  ignored?: Sensitive<string>;
  /** Top-level keys of cloud-config that nobody knows. */
  unknownKeys?: { name: string; where: Position }[];
  /** Where each top-level key stands; of Slipway's own document those of `system` and `node` too. */
  keys?: { name: string; where: Position }[];
}

export interface InstanceData {
  /** cloud-init's `instance-id`; identifies the machine for run-once decisions. */
  id?: string;
  /** Name of the source, such as `nocloud`. */
  source: string;
  /** What made this machine the source's, in words. */
  recognised?: string;
  /** What the source says of the machine; see `Cloud` of userdata/instance. */
  providerId?: string;
  instanceType?: string;
  region?: string;
  zone?: string;
  addresses?: readonly string[];
  /** How many SSH keys came along. */
  publicKeys?: number;
  vendorData?: boolean;
  /** The network configuration that came along, by its place. */
  networkConfig?: string;
}

export interface Hostname {
  /** Short host name. */
  name: string;
  /** Fully qualified name, when known. */
  fqdn?: string;
  /** The machine goes by its fully qualified name. */
  prefersFqdn?: boolean;
  /** /etc/hostname is written only where there is one. */
  keepsNoFile?: boolean;
}

export interface FileEntry {
  /** Absolute path on the machine. */
  path: string;
  /** Empty where it is still to be fetched. */
  content: Sensitive<Uint8Array>;
  /** Where the content is to be fetched from. */
  from?: RemoteContent;
  /** Permission bits, e.g. 0o640. */
  mode: number;
  /** `user`, `user:group`, numeric ids allowed. */
  owner: string;
  /** Add to the end of the file instead of replacing it. */
  append: boolean;
  /** Written when users and packages are there (cloud-init `defer`). */
  defer: boolean;
  /** How Ignition treats what is there already; without it, the file takes the place of a file. */
  rule?: PlaceRule;
  where?: Position;
}

/** Something that lies on a web server, or in a store of secrets. */
export interface RemoteContent {
  /** http:, https: or a reference to a secret (see docs/secrets.md); may hold a password, a token or a signature. */
  url: Sensitive<string>;
  headers: { name: string; value: Sensitive<string> }[];
  isCompressed: boolean;
  /** `sha256-SUM` or `sha512-SUM` of the content, decompressed. */
  hash?: string;
}

/** How everything of a document is fetched. */
export interface FetchSettings {
  /** URLs, possibly with user name and password, and a list of hosts to reach directly. */
  proxy?: { http?: Sensitive<string>; https?: Sensitive<string>; except: string[] };
  /** PEM; they count beside the well-known authorities. */
  authorities: string[];
  /** The same, to be fetched before anything else. */
  remoteAuthorities?: RemoteContent[];
  /** Seconds for one whole answer. */
  totalSeconds?: number;
  /** A redirect that leaves https is refused. */
  isHttpsOnly?: true;
}

/** What becomes of what is there already. */
export interface PlaceRule {
  /**
   * `remove`: whatever it is goes first. `refuse`: anything is an error, but for the very same content. `keep`:
   * something of the same kind stays.
   */
  present: 'remove' | 'refuse' | 'keep';
  /** What nobody has said; something that stays has its own. */
  unsaid: readonly ('mode' | 'user' | 'group')[];
}

export interface DirectoryEntry {
  path: string;
  mode: number;
  /** `user:group`, numeric ids allowed. */
  owner: string;
  rule: PlaceRule;
  where?: Position;
}

export interface LinkEntry {
  path: string;
  target: string;
  /** Another name of a file instead of a symbolic link; made when all files are there. */
  hard: boolean;
  owner: string;
  /** Whatever is there goes first. */
  overwrite: boolean;
  where?: Position;
}

export interface UnitEntry {
  name: string;
  /** The unit's own file below /etc/systemd/system, if it is to have one. */
  content?: Sensitive<string>;
  dropIns: { name: string; content: Sensitive<string> }[];
  /** By a preset; absent: as the machine's presets have it. */
  enabled?: boolean;
  masked?: boolean;
  where?: Position;
}

/** Names of units by their relation to one: what must be up, what may be, what goes first if it runs at all. */
export interface UnitNeeds {
  requires: string[];
  wants: string[];
  after: string[];
}

/** A shell line, or an argument vector that runs without a shell. */
export interface Command {
  kind: 'command';
  /** The text as cloud-init would have put it into its shell script. */
  shell: Sensitive<string>;
  /** First word, for people; it holds no argument. */
  program: string;
  where?: Position;
}

/**
 * The line that Cluster API's kubeadm provider writes:
 * `kubeadm init|join --config FILE [--v N] && echo success > SENTINEL`.
 */
export interface KubeadmCommand {
  kind: 'kubeadm';
  verb: 'init' | 'join';
  /** Everything after the verb; may hold a token. */
  args: Sensitive<string[]>;
  /** The path behind `--config`, if given. */
  configPath?: string;
  /** `host:port` of API servers to try instead of the configured one; those that answer come first. */
  endpoints?: string[];
  /** For the kubelet to register with; their values are computed just before. */
  labels?: NodeLabel[];
  /** Directory of patches, if the configuration names none. */
  patches?: string;
  /** The sentinel of the line's `&& echo success > ...` part, if it has one. */
  sentinel?: string;
  where?: Position;
}

export interface GroupEntry {
  name: string;
  members: string[];
  /** Ignition's way: the group is made, changed or removed, until it is as said. */
  exact?: { exists: boolean; gid?: number; passwordHash?: Sensitive<string>; system: boolean };
}

export interface UserEntry {
  name: string;
  gecos?: string;
  homedir?: string;
  shell?: string;
  primaryGroup?: string;
  groups: string[];
  system: boolean;
  noCreateHome: boolean;
  noUserGroup: boolean;
  uid?: number;
  /** Days from the password's expiry until the account is disabled. */
  inactive?: string;
  expiredate?: string;
  /** A hash, never plain text. It also applies to an existing user (cloud-init `hashed_passwd`). */
  passwordHash?: Sensitive<string>;
  /** A hash for a user that this document creates; an existing user keeps its own (cloud-init `passwd`). */
  initialPasswordHash?: Sensitive<string>;
  plainPassword?: Sensitive<string>;
  lockPassword: boolean;
  /** Lines for sudoers without the user's name; possibly empty. */
  sudo: string[];
  sshAuthorizedKeys: string[];
  /** Names such as `gh:NAME`, whose keys are fetched. */
  importIds?: string[];
  /** Ignition's way: the user is made, changed or removed, until it is as said. */
  exact?: { exists: boolean; noLogInit: boolean };
  where?: Position;
}

export interface NtpSettings {
  enabled: boolean;
  servers: string[];
  pools: string[];
  /** Of chrony and ntp alone: equals that give and take the time, and networks that may ask for it. */
  peers?: string[];
  allow?: string[];
  /** The service to configure, by cloud-init's name; absent: the one that the image has. */
  client?: string;
  where?: Position;
}

/** How Slipway checks the machine before kubeadm runs. */
export interface PreflightSettings {
  /** Mend what Slipway can mend safely. */
  mend: boolean;
}

export interface DiskEntry {
  device: string;
  tableType: 'mbr' | 'gpt';
  /** `true`: one partition over the whole disk; a list: sizes in per cent, each with a type code. */
  layout: boolean | { percent: number; code?: string }[];
  overwrite: boolean;
  where?: Position;
}

/** A disk with a GPT, some of whose partitions are to be as said; the others stay. */
export interface PartitioningEntry {
  device: string;
  /** All that is on the disk goes first. */
  wipe: boolean;
  partitions: PartitionEntry[];
  where?: Position;
}

export interface PartitionEntry {
  /** 0: the one with the label, else the next that is free. */
  number: number;
  label?: string;
  /** 0 or nothing: where there is room, and as much as there is. */
  startMiB?: number;
  sizeMiB?: number;
  typeGuid?: string;
  guid?: string;
  exists: boolean;
  /** One that is there and not as said may be made anew. */
  wipe: boolean;
  /** One that differs by its size alone may be resized. */
  resize: boolean;
}

/** Arguments that the boot loader is to give the kernel, and those that it is not to give, each as a whole. */
export interface KernelArgumentsEntry {
  present: string[];
  absent: string[];
}

/** A RAID array. */
export interface ArrayEntry {
  name: string;
  /** Its device node. */
  path: string;
  /** As mdadm names it. */
  level: string;
  /** Spares among them, the last ones. */
  devices: string[];
  spares: number;
  /** For mdadm. */
  options: string[];
  where?: Position;
}

/** A device that is encrypted as a whole, by LUKS version 2; it is opened as /dev/mapper/NAME. */
export interface EncryptionEntry {
  name: string;
  device: string;
  label?: string;
  uuid?: string;
  /** For cryptsetup's luksFormat and luksOpen. */
  options: string[];
  openOptions: string[];
  discard: boolean;
  /** What is there goes, whatever it is. */
  wipe: boolean;
  /** The key; without one, a key is made. */
  key?: Pick<FileEntry, 'content' | 'from'>;
  /** What else opens it: servers and chips that clevis asks. */
  clevis?: ClevisSettings;
  where?: Position;
}

export interface ClevisSettings {
  pin: string;
  /** JSON. */
  config: string;
  /** Addresses of tang servers whose advertisement is to be fetched. */
  asks: string[];
  needsNetwork: boolean;
  /** Can it be opened at once, so that it is known that it can? */
  isTried: boolean;
}

/** A file system on a whole device, as Ignition makes it. */
export interface VolumeEntry {
  device: string;
  format: 'ext4' | 'btrfs' | 'xfs' | 'swap' | 'vfat';
  label?: string;
  uuid?: string;
  options: string[];
  /** What is there goes, whatever it is. */
  wipe: boolean;
  /** Where it is mounted now; for later boots there are units. */
  mount?: { path: string; options: string[] };
  where?: Position;
}

export interface FilesystemEntry {
  device: string;
  filesystem: string;
  label?: string;
  /** `auto`, `any`, `none` or a number, as in cloud-init. */
  partition?: string;
  overwrite: boolean;
  replaceFs?: string;
  extraOpts: string[];
  where?: Position;
}

export interface MountEntry {
  /** fs_spec, fs_file, fs_vfstype, fs_mntops, fs_freq, fs_passno; cloud-init's defaults fill missing ones. */
  fields: [string, string | null, string, string, string, string];
  where?: Position;
}

/** Place in the user data; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

export interface ReportEntry {
  severity: 'error' | 'warning';
  code: Code;
  message: string;
  where?: Position;
}
