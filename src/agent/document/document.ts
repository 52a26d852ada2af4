/**
 * The document: user data in one normalised shape, whatever format it came in.
 *
 * Readers of user data make it, the plan consumes it. It is data, not behaviour; contents that may hold secrets are
 * wrapped in `Sensitive` so that no formatter, logger or serialiser can print them by accident.
 */
import type { Sensitive } from '../../kit/sensitive.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { NodeSettings } from './node-settings.ts';

export interface Document {
  format: 'cloud-config' | 'none';
  /** Instance metadata that the source gave. */
  instance: InstanceData;
  /** Name to give the machine, when user data or metadata says one. */
  hostname?: Hostname;
  /** In the order given; a later entry for the same path acts on what the earlier one left. */
  files: FileEntry[];
  /** Run at every boot, before files are written (cloud-init `bootcmd`). */
  bootCommands: Command[];
  /** Run once per instance, after everything else, in one shell (cloud-init `runcmd`), the kubeadm line lifted out. */
  commands: (Command | KubeadmCommand)[];
  users: UserEntry[];
  /** Present when user data has `users` without `default`, or an explicit list. */
  groups: GroupEntry[];
  ntp?: NtpSettings;
  preflight?: PreflightSettings;
  /** What the node is given around kubeadm. */
  node?: NodeSettings;
  disks: DiskEntry[];
  filesystems: FilesystemEntry[];
  mounts: MountEntry[];
  /** Errors and warnings that came up while reading; a document with an error is never acted upon. */
  report: ReportEntry[];
}

export interface InstanceData {
  /** cloud-init's `instance-id`; identifies the machine for run-once decisions. */
  id?: string;
  /** Name of the source it came from, e.g. `nocloud`. */
  source: string;
}

export interface Hostname {
  /** Short host name. */
  name: string;
  /** Fully qualified name, when known. */
  fqdn?: string;
}

export interface FileEntry {
  /** Absolute path on the machine. */
  path: string;
  content: Sensitive<Uint8Array>;
  /** Permission bits, e.g. 0o640. */
  mode: number;
  /** `user`, `user:group`, numeric ids allowed. */
  owner: string;
  /** Add to the end of the file instead of replacing it. */
  append: boolean;
  /** Written after users exist and packages are there (cloud-init `defer`). */
  defer: boolean;
  where?: Position;
}

/** A shell line, or an argument vector that is run without a shell's interpretation. */
export interface Command {
  kind: 'command';
  /** Text as it stands in the shell script that cloud-init would have made. */
  shell: Sensitive<string>;
  /** First word, for people; holds no argument. */
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
  /** Everything after the verb, as given; may hold a token, so it is sensitive. */
  args: Sensitive<string[]>;
  /** The path behind `--config`, if given. */
  configPath?: string;
  /** `host:port` of API servers that may be asked in the place of the one in the configuration; in turn, those first that answer. */
  endpoints?: string[];
  /** Directory of patches, for a configuration that names none. */
  patches?: string;
  /** The sentinel that the line asks for; absent when the line has no `&& echo success > ...` part. */
  sentinel?: string;
  where?: Position;
}

export interface GroupEntry {
  name: string;
  members: string[];
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
  /** Days after expiry of the password until the account is disabled. */
  inactive?: string;
  expiredate?: string;
  /** Hash, never the plain text; for a user that is there already too (cloud-init `hashed_passwd`). */
  passwordHash?: Sensitive<string>;
  /** Hash for a user that this document creates; one that is there keeps its own (cloud-init `passwd`). */
  initialPasswordHash?: Sensitive<string>;
  plainPassword?: Sensitive<string>;
  lockPassword: boolean;
  /** Lines for sudoers, without the user's name; empty when none. */
  sudo: string[];
  sshAuthorizedKeys: string[];
  where?: Position;
}

export interface NtpSettings {
  enabled: boolean;
  servers: string[];
  pools: string[];
  where?: Position;
}

/** How the machine is checked before kubeadm runs. */
export interface PreflightSettings {
  /** Put right what can be put right safely. */
  mend: boolean;
}

export interface DiskEntry {
  device: string;
  tableType: 'mbr' | 'gpt';
  /** `true`: one partition over the whole disk; else a list of sizes in per cent with a type code. */
  layout: boolean | { percent: number; code?: string }[];
  overwrite: boolean;
  where?: Position;
}

export interface FilesystemEntry {
  device: string;
  filesystem: string;
  label?: string;
  /** `auto`, `any`, `none` or a number, as cloud-init defines them. */
  partition?: string;
  overwrite: boolean;
  replaceFs?: string;
  extraOpts: string[];
  where?: Position;
}

export interface MountEntry {
  /** fs_spec, fs_file, fs_vfstype, fs_mntops, fs_freq, fs_passno; missing ones filled with cloud-init's defaults. */
  fields: [string, string | null, string, string, string, string];
  where?: Position;
}

/** Place in the user data, counted from 1. */
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
