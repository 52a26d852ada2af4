import type { Document, ReportEntry, UserEntry } from '../document/document.ts';
import { keyOf } from './accounts/authorized-keys.ts';

/** Of users it is utmp's field, for useradd up to 4.13. */
const LONGEST_NAME = 32;

/**
 * What of users and groups will not be as the user data say, and is known before: a plan tells it where the steps themselves
 * would tell it too late. What depends on who is there already, only they can say.
 */
export function foreseen({ users, groups, system }: Document): ReportEntry[] {
  const made = users.filter(({ exact }) => exact === undefined);
  const given = new Set(system?.passwords?.users.map(({ name }) => name));
  const ofUsers = made.flatMap((user) =>
    [withoutHome(user), badKeys(user), given.has(user.name) ? undefined : locked(user)].flatMap((message) =>
      message === undefined ? [] : [entry(message, user)],
    ),
  );
  const later = new Set(made.map(({ name }) => name));
  const ofGroups = groups.flatMap(({ name, members }) =>
    members
      .filter((member) => later.has(member))
      .map((member) =>
        entry(
          `The user ${member} is made after the groups, so only one that is there already becomes a member of ${name}; name the group at the user.`,
          {},
        ),
      ),
  );
  const bad = system?.loginKeys?.keys.filter((line) => keyOf(line) === undefined).length ?? 0;
  const ofKeys =
    bad === 0
      ? []
      : [
          entry(
            `${bad} of the SSH keys of the default user and root are no public keys, and let nobody in.`,
            {},
          ),
        ];
  return [...ofUsers, ...sameIds(made), ...ofGroups, ...ofKeys];
}

/** What most machines refuse, and some take: where there is one, it is asked. */
export function doubtful({ users, groups }: Document): ReportEntry[] {
  const made = users.filter(({ exact }) => exact?.exists !== false);
  const long = ({ name }: { name: string }) => name.length > LONGEST_NAME;
  const groupsBefore = new Set(groups.map(({ name }) => name));
  const ofUsers = made.flatMap((user) => {
    const { name, primaryGroup, noUserGroup } = user;
    const why = long(user)
      ? `its name has more than ${LONGEST_NAME} letters, which most releases of useradd refuse`
      : primaryGroup === undefined && !noUserGroup && (groupsBefore.has(name) || user.groups.includes(name))
        ? 'a group of its name is made before, and useradd would make one; name it as the primary group'
        : undefined;
    return why === undefined ? [] : [entry(`The user ${name} may not be made: ${why}.`, user)];
  });
  const ofGroups = groups
    .filter(long)
    .map(({ name }) =>
      entry(`The group ${name} may not be made: its name has more than ${LONGEST_NAME} letters.`, {}),
    );
  return [...ofUsers, ...ofGroups];
}

/** useradd refuses the second. */
function sameIds(made: readonly UserEntry[]): ReportEntry[] {
  return made.flatMap((user, at) => {
    const first = made.slice(0, at).find(({ uid }) => uid !== undefined && uid === user.uid);
    if (first === undefined || first.name === user.name) return [];
    return [
      entry(`The user ${user.name} will not be made: its uid ${user.uid} is that of ${first.name}.`, user),
    ];
  });
}

function withoutHome({ name, noCreateHome, system, sshAuthorizedKeys }: UserEntry): string | undefined {
  const why = (noCreateHome && 'no_create_home') || (system && 'system');
  if (!why || sshAuthorizedKeys.length === 0) return undefined;
  return `The user ${name} will not be made: ${why} leaves it without a home directory, where its ssh_authorized_keys would go.`;
}

function badKeys({ name, sshAuthorizedKeys }: UserEntry): string | undefined {
  const bad = sshAuthorizedKeys.filter((line) => keyOf(line) === undefined).length;
  return bad === 0
    ? undefined
    : `${bad} of the SSH keys of the user ${name} are no public keys, and let nobody in.`;
}

function locked(user: UserEntry): string | undefined {
  if (user.lockPassword || user.plainPassword || user.passwordHash || user.initialPasswordHash)
    return undefined;
  return `The user ${user.name} stays locked although lock_passwd is false, unless the image has a password for it: none is given here.`;
}

function entry(message: string, { where }: Pick<UserEntry, 'where'>): ReportEntry {
  return { severity: 'warning', code: 'AccountSettingIgnored', message, ...(where ? { where } : {}) };
}
