import { sensitive } from '../../../../secrets/sensitive.ts';
import type { GroupEntry, UserEntry } from '../../../document/document.ts';
import type { Places } from '../schema/bind.ts';
import type { Config, Group, User } from '../schema/spec3.ts';

/** Users and groups of a config. */
export function accountsOf(
  { passwd = {} }: Config,
  places: Places,
): { users: UserEntry[]; groups: GroupEntry[] } {
  return {
    users: (passwd.users ?? []).map((user) => userOf(user, places)),
    groups: (passwd.groups ?? []).map(groupOf),
  };
}

/** Texts that are empty count as missing, but for the password: an empty one locks the account. */
function userOf(user: User, places: Places): UserEntry {
  const { passwordHash, uid, groups = [], sshAuthorizedKeys = [] } = user;
  const { where } = places.of(user);
  return {
    name: user.name ?? '',
    ...(user.gecos ? { gecos: user.gecos } : {}),
    ...(user.homeDir ? { homedir: user.homeDir } : {}),
    ...(user.shell ? { shell: user.shell } : {}),
    ...(user.primaryGroup ? { primaryGroup: user.primaryGroup } : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(passwordHash === undefined ? {} : { passwordHash: sensitive(passwordHash) }),
    groups,
    system: user.system === true,
    noCreateHome: user.noCreateHome === true,
    noUserGroup: user.noUserGroup === true,
    lockPassword: false,
    sudo: [],
    sshAuthorizedKeys: sshAuthorizedKeys.flatMap((key) => key.split('\n')),
    exact: { exists: user.shouldExist !== false, noLogInit: user.noLogInit === true },
    ...(where ? { where } : {}),
  };
}

function groupOf({ name = '', gid, passwordHash, shouldExist, system }: Group): GroupEntry {
  return {
    name,
    members: [],
    exact: {
      exists: shouldExist !== false,
      system: system === true,
      ...(gid === undefined ? {} : { gid }),
      ...(passwordHash ? { passwordHash: sensitive(passwordHash) } : {}),
    },
  };
}
