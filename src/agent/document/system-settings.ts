/**
 * What user data asks of the operating system beside files, users and disks: one member for each of cloud-init's modules that
 * has keys of its own. A member that is absent leaves the system as it is.
 */
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { Position } from './position.ts';

export interface SystemSettings {
  randomSeed?: RandomSeedSettings;
  /** Devices or mount points whose partition is to fill its disk. */
  growPartitions?: { devices: string[] };
  /** The root file system is to fill its partition. */
  growRoot?: { waits: boolean };
  swap?: SwapSettings;
  hosts?: HostsSettings;
  resolver?: ResolverSettings;
  authorities?: AuthoritySettings;
  hostKeys?: HostKeySettings;
  loginKeys?: LoginKeySettings;
  /** Whose keys, by their names at GitHub or Launchpad, let the default user in. */
  importedKeys?: { name: string; ids: string[] };
  passwords?: PasswordSettings;
  /** `PasswordAuthentication` of sshd. */
  passwordLogin?: { allowed: boolean };
  keyboard?: { layout: string; model: string; variant: string; options: string };
  locale?: { name: string; file?: string };
  timezone?: { name: string };
  repositories?: RepositorySettings;
  packages?: PackageSettings;
  phoneHome?: PhoneHomeSettings;
  finalMessage?: { template: string };
  powerState?: PowerStateSettings;
}

/** What the machine is called; see `Hostname`. */
interface OwnName {
  name: string;
  fqdn?: string;
}

export interface RandomSeedSettings {
  file: string;
  data: Sensitive<Uint8Array>;
  /** A program that gathers more, with its arguments. */
  command: string[];
  isRequired: boolean;
}

export interface SwapSettings {
  file: string;
  /** In bytes; `auto` by the memory. */
  size: number | 'auto';
  mostBytes?: number;
}

export interface HostsSettings {
  /** `whole`: /etc/hosts by the image's template; `entry`: one line for the own name. */
  how: 'whole' | 'entry';
  hostname: OwnName;
}

export interface ResolverSettings {
  servers: string[];
  search: string[];
  domain?: string;
  sortlist: string[];
  /** Options of resolv.conf(5) as they stand there: `rotate`, `timeout:1`. */
  options: string[];
}

export interface AuthoritySettings {
  /** The image's own go first. */
  replaces: boolean;
  /** PEM. */
  trusted: string[];
}

export const HOST_KEY_TYPES = ['rsa', 'ecdsa', 'ed25519'] as const;
type HostKeyType = (typeof HOST_KEY_TYPES)[number];

export interface HostKeySettings {
  /** The image's own go first. */
  replaces: boolean;
  given: {
    type: HostKeyType;
    privateKey?: Sensitive<string>;
    publicKey?: string;
    certificate?: string;
  }[];
  /** Types to make where there is none. */
  made: string[];
}

/** Public keys for those who may log in without being named in `users`. */
export interface LoginKeySettings {
  keys: string[];
  defaultUser?: string;
  /** What stands before root's keys, so that root does not get in; empty: root gets in. */
  rootOptions: string;
}

/** What the user data alone say of it. */
export interface SaidLogin extends LoginKeySettings {
  /** The public keys that the metadata has for the default user count too. */
  fromMetadata?: true;
}

export interface PasswordSettings {
  users: {
    name: string;
    /** Absent: a random one, which the console shows once. */
    password?: Sensitive<string>;
    isHash: boolean;
  }[];
  /** Each has to choose another at the next login. */
  expire: boolean;
}

export interface RepositorySettings {
  files: RepositoryFile[];
  /** Names that add-apt-repository knows the addresses and keys of, such as `ppa:WHO/WHAT`. */
  archives?: { name: string; where?: Position }[];
}

export interface RepositoryFile {
  path: string;
  content: Sensitive<string>;
  /** A file that is there stays. */
  keeps: boolean;
  /** A key server has the content: the OpenPGP key with this fingerprint, or with this end of one. */
  key?: { id: string; url: string; where?: Position };
}

export interface PackageSettings {
  refresh: boolean;
  upgrade: boolean;
  /** With a version where one was said. */
  wanted: { name: string; version?: string }[];
  /** Reboot where an upgrade or a new package asks for it. */
  reboots: boolean;
}

export interface PhoneHomeSettings {
  url: Sensitive<string>;
  post: string[];
  tries: number;
  hostname?: OwnName;
}

export interface PowerStateSettings {
  mode: 'poweroff' | 'reboot' | 'halt';
  /** `now` or minutes. */
  delay: 'now' | number;
  message?: string;
  /** A shell line or words of a command that has to succeed first; false: never. */
  condition?: { shell: Sensitive<string> } | { argv: Sensitive<string[]> } | false;
}
