import type { UserEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { createGroup } from './create-group.ts';
import { type Account, findAccount, groupExists } from './files/database.ts';
import type { NewUser, NewUsers } from './new-users.ts';

/**
 * Creates a user unless it exists (cloud-init's `Distro.add_user`), after any missing groups; system users
 * get no home directory. It does not change an existing user.
 *
 * @returns the user, and whether it is new
 * @throws Problem UserNotCreated, GroupNotCreated, ToolMissing
 */
export async function createUser(
  host: Host,
  user: UserEntry,
  newUsers: NewUsers,
): Promise<{ account: Account; isNew: boolean }> {
  const { name } = user;
  const noted = newUsers.of(name);
  if (noted?.phase === 'creating') await undo(host, name, noted);
  const present = await findAccount(host, name);
  if (present) return { account: present, isNew: noted?.phase === 'created' };

  const groups = [...user.groups, ...(user.primaryGroup ? [user.primaryGroup] : [])];
  if (user.createsGroups !== false) for (const group of groups) await createGroup(host, group);
  const home = user.homedir ?? `${await homeBase(host)}/${name}`;
  const newHome = hasHome(user) && !(await host.files.stat(home)) ? { newHome: home } : {};
  const before = { ...newHome, newGroup: !(await groupExists(host, name)) };
  await newUsers.note(name, { phase: 'creating', ...before });
  await runTool(host, ['useradd', ...options(user), '--', name], {
    doing: `create the user ${name}`,
    code: 'UserNotCreated',
  });
  await newUsers.note(name, { phase: 'created', ...before });
  const account = await findAccount(host, name);
  if (!account)
    throw new StepError('UserNotCreated', `useradd reported success, but there is no user ${name}`);
  return { account, isNew: true };
}

/** Removes what a killed useradd left, but nothing that existed before it. */
async function undo(host: Host, name: string, { newHome, newGroup }: NewUser): Promise<void> {
  const how = { doing: `remove the half created user ${name}`, code: 'UserNotCreated' } as const;
  // Without --remove: something that was at the home directory's path before is not ours.
  if (await findAccount(host, name)) await runTool(host, ['userdel', '--', name], how);
  if (newGroup && (await groupExists(host, name))) await runTool(host, ['groupdel', '--', name], how);
  if (newHome) await host.files.remove(newHome);
}

function hasHome({ noCreateHome, system }: UserEntry): boolean {
  return !noCreateHome && !system;
}

function options(user: UserEntry): string[] {
  const values: [string, string | number | undefined][] = [
    ['--comment', user.gecos],
    ['--home-dir', user.homedir],
    ['--gid', user.primaryGroup],
    ['--uid', user.uid],
    ['--groups', user.groups.length > 0 ? user.groups.join(',') : undefined],
    ['--shell', user.shell],
    ['--expiredate', user.expiredate],
    ['--inactive', user.inactive],
    ['--selinux-user', user.selinuxUser],
  ];
  return [
    ...values.flatMap(([flag, value]) => (value === undefined || value === '' ? [] : [flag, String(value)])),
    ...(user.noUserGroup ? ['--no-user-group'] : []),
    ...(user.noLogInit ? ['--no-log-init'] : []),
    ...(user.system ? ['--system'] : []),
    hasHome(user) ? '--create-home' : '--no-create-home',
  ];
}

/** Where useradd makes home directories (`useradd -D`). */
async function homeBase(host: Host): Promise<string> {
  const text = (await host.files.readIfPresent('/etc/default/useradd'))?.toString('utf8') ?? '';
  return /^[^\S\n]*HOME=(\/\S*)/m.exec(text)?.[1] ?? '/home';
}
