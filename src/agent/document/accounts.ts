/** The document's users and groups. */
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { Position } from './position.ts';

export interface GroupEntry {
  name: string;
  members: string[];
  /** The group is made, changed or removed, until it is as said. */
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
  /** A hash, never plain text. It also applies to an existing user. */
  passwordHash?: Sensitive<string>;
  /** A hash for a user that this document creates; an existing user keeps its own. */
  initialPasswordHash?: Sensitive<string>;
  plainPassword?: Sensitive<string>;
  lockPassword: boolean;
  /** Lines for sudoers without the user's name; possibly empty. */
  sudo: string[];
  /** Whole lines of doas.conf. */
  doas?: string[];
  /** Only for a new user, as are the next two: whom SELinux takes it for. */
  selinuxUser?: string;
  /** False: groups that are not there are an error. */
  createsGroups?: boolean;
  noLogInit?: boolean;
  sshAuthorizedKeys: string[];
  /** Names such as `gh:NAME`, whose keys are fetched. */
  importIds?: string[];
  /** The user is made, changed or removed, until it is as said. */
  exact?: { exists: boolean; noLogInit: boolean };
  where?: Position;
}

/** A name by which somebody's public SSH keys are known, such as `gh:octocat`. */
interface KeyId {
  service: 'gh' | 'lp';
  name: string;
}

/** `gh:NAME`, `lp:NAME`; a bare name is Launchpad's, as with ssh-import-id. Undefined for anything else. */
export function readKeyId(text: string): KeyId | undefined {
  const found = /^(?:(gh|lp):)?([A-Za-z0-9][A-Za-z0-9.+_-]{0,63})$/.exec(text.trim());
  if (found?.[2] === undefined) return undefined;
  return { service: found[1] === 'gh' ? 'gh' : 'lp', name: found[2] };
}

/** Where the service tells them, one a line. */
export function addressOfKeys({ service, name }: KeyId): string {
  return service === 'gh' ? `https://github.com/${name}.keys` : `https://launchpad.net/~${name}/+sshkeys`;
}
