/**
 * The document: user data in one normalised shape, whatever its format was.
 *
 * Readers of user data make it, and the plan reads it. It holds data, no behaviour. `Sensitive` wraps every
 * content that may hold a secret, so that no formatter, logger or serialiser prints it by accident.
 */
import type { SealedStub } from '../../protocol/sealed-stub.ts';
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { GroupEntry, UserEntry } from './accounts.ts';
import type { Command, KubeadmCommand, UnitEntry, UnitNeeds } from './commands.ts';
import type { DirectoryEntry, FetchSettings, FileEntry, LinkEntry, RemoteContent } from './files.ts';
import type { NetworkSettings } from './network-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import type { Diagnostic, Position } from './position.ts';
import type {
  ArrayEntry,
  DiskEntry,
  EncryptionEntry,
  FilesystemEntry,
  KernelArgumentsEntry,
  MountEntry,
} from './storage.ts';
import type { SaidLogin, SystemSettings } from './system-settings.ts';

// Its parts each have a file, and this one door.
export type { GroupEntry, UserEntry } from './accounts.ts';
export type { Command, KubeadmCommand, UnitEntry, UnitNeeds } from './commands.ts';
export type {
  DirectoryEntry,
  FetchSettings,
  FileEntry,
  LinkEntry,
  PlaceRule,
  RemoteContent,
} from './files.ts';
export type { Diagnostic, Position } from './position.ts';
export type {
  ArrayEntry,
  ClevisSettings,
  DiskEntry,
  EncryptionEntry,
  FilesystemEntry,
  KernelArgumentsEntry,
  MountEntry,
  PartitionEntry,
} from './storage.ts';

export interface Document {
  /**
   * `modules`: commands of the boot and files first, then disks and users. `stages`: disks, then users and files, then units.
   * Absent where no user data was read.
   */
  order?: 'modules' | 'stages';
  /** Instance metadata from the source. */
  instance: InstanceData;
  /** The machine's name, if user data or metadata says one. */
  hostname?: Hostname;
  /** What the user data alone say of it. */
  saidName?: SaidName;
  /** The machine keeps the name that it has. */
  keepsName?: true;
  /** What the user data alone say of who may log in; `system.loginKeys` has the metadata's keys too. */
  saidLogin?: SaidLogin;
  /** What the machine's network is to be; it comes from the source, the image or the kernel command line. */
  network?: NetworkSettings;
  /** In the order given; a later entry for the same path acts on the result of the earlier one. */
  files: FileEntry[];
  /** With the files that have a rule they are made from the shallowest path to the deepest. */
  directories?: DirectoryEntry[];
  links?: LinkEntry[];
  /** How contents are fetched that do not lie in the document. */
  fetching?: FetchSettings;
  kernelArguments?: KernelArgumentsEntry;
  arrays?: ArrayEntry[];
  encryptions?: EncryptionEntry[];
  /** Units of systemd, in the order given. */
  units?: UnitEntry[];
  /** What the unit that called kubeadm, and whose place Slipway takes, had asked systemd for. */
  kubeadmUnit?: UnitNeeds;
  /** Run at every boot before files are written. */
  bootCommands: Command[];
  /** Scripts of every boot, before `commands` (x-shellscript-per-boot). */
  bootScripts?: Command[];
  /**
   * Run once per instance, in one shell, after everything else. The kubeadm line is an
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
  report: Diagnostic[];
  /** False: secrets stay in the user data's copies after success. */
  wipe?: boolean;
  /** Does a command that fails end the bootstrap? Default `continue`. */
  onError?: 'stop' | 'continue';
  /** How long the bootstrap may take. */
  deadlineSeconds?: number;
  /** The operator keeps pods away from the metadata service. */
  isMetadataGuarded?: boolean;
  /** This user data has done its work before, and has lost its secrets since. */
  isWiped?: boolean;
  /** It was said that no node is to be made: `slipway: {kubeadm: none}`. */
  withoutKubeadm?: boolean;
  /** These user data only say where the real ones are, and how they open. */
  sealed?: SealedStub;
  /** These say only where the user data lies in pieces. */
  chunked?: ChunkedUserData;
  /** Where other configs lay that are a part of these; they were fetched when these were read. */
  asked?: RemoteContent[];
  /** What stands behind keys that are ignored, as lines `name: value`: cloud-init may act upon it, and secrets are among it. */
  ignored?: Sensitive<string>;
  /** The default user, where no image says what such a user is beside what the user data says. */
  bareDefaultUser?: { name: string; where: Position };
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
  /** What the source says of the machine; see `Cloud` of platform/instance. */
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

/** A part of a name; the metadata fills in what is missing. */
export type SaidName = Partial<Hostname>;

export interface NtpSettings {
  enabled: boolean;
  servers: string[];
  pools: string[];
  /** Only chrony and ntp have these: equals that give and take the time, and networks that may ask for it. */
  peers?: string[];
  allow?: string[];
  /** The service to configure, by cloud-init's name; absent: the one that the image has. */
  client?: string;
  /** What the author says of the service himself; a service that nobody knows says all but the content's defaults. */
  own?: OwnTimeService;
  where?: Position;
}

/** The parts of a time service, where they are not those that it has on every machine. */
export interface OwnTimeService {
  /** Where its configuration lies, and what that is to be. */
  path?: string;
  content?: Sensitive<string>;
  /** Shows by its presence that the service is installed: a name, or a path. */
  program?: string;
  /** Installed where the program is not there. */
  packages?: string[];
  /** Its unit, without `.service`. */
  unit?: string;
}

/** How Slipway checks the machine before kubeadm runs. */
export interface PreflightSettings {
  /** Mend what Slipway can mend safely. */
  mend: boolean;
}

/** User data that lie in pieces in a store of secrets, gzip over all of them. */
export interface ChunkedUserData {
  /** In their order, as docs/secrets.md has references. */
  references: string[];
  /** Where the boothook would write them. */
  file: string;
  /** All pieces together are base64. */
  isBase64: boolean;
  /** The store's address, where that is not AWS' own. */
  endpoint?: string;
}
