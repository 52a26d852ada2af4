import type { UserEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { keyOf } from './files/authorized-keys.ts';
import { type Account, findAccount, groupExists } from './files/database.ts';
import { writeDoasRules } from './files/doas.ts';
import { addAuthorizedKeys } from './files/ssh-keys.ts';
import { writeSudoRules } from './files/sudoers.ts';
import { createGroup } from './groups.ts';
import { type NewUser, NewUsers } from './new-users.ts';
import { type PasswordResult, setPassword } from './password.ts';

/**
 * Creates users (cloud-init's `cc_users_groups` and `Distro.create_user`). Of an existing user it changes
 * only the password, the sudo rules and the SSH keys.
 */
export const createUsers: Work<{ entries: UserEntry[] }> = ({ entries }) => ({
  onFailure: 'continue',
  async run(context) {
    const newUsers = await NewUsers.load(context.host);
    const result = await eachEntry(entries, context, (user) => setUp(user, newUsers, context));
    // A retry must recognise its own users; after the last attempt, later users must not be mistaken for
    // them.
    if (result.done || result.retry === 'no') await newUsers.forget();
    return result;
  },
});

async function setUp(user: UserEntry, newUsers: NewUsers, { host, finding }: StepContext): Promise<string> {
  if (user.exact) return ensureUser(host, user, user.exact);
  const { name, sshAuthorizedKeys, sudo, doas = [] } = user;
  const noHome = (user.noCreateHome && 'no_create_home') || (user.system && 'system');
  if (noHome && sshAuthorizedKeys.length > 0) {
    const cause = `The user ${name} was not created: ${noHome} leaves it without a home directory, where its ssh_authorized_keys would go`;
    throw new StepError('UserNotCreated', cause);
  }
  const warn = (message: string) =>
    finding({ severity: 'warning', code: 'AccountSettingIgnored', message, ...place(user.where) });

  const hasSelinux =
    user.selinuxUser === undefined || (await host.files.stat('/sys/fs/selinux/enforce')) !== undefined;
  if (!hasSelinux)
    await warn(
      `There is no SELinux here (/sys/fs/selinux), so the user ${name} was not made one of its users.`,
    );
  const { selinuxUser: _, ...without } = user;
  const { account, isNew } = await createUser(host, hasSelinux ? user : without, newUsers);
  const ignored = aboutPassword(await setPassword(host, user, isNew), name);
  if (ignored) await warn(ignored);
  if (doas.length > 0) await writeDoasRules(host, name, doas);
  if (sudo.length > 0) await writeSudoRules(host, name, sudo);
  if (sshAuthorizedKeys.length > 0) {
    const bad = sshAuthorizedKeys.filter((line) => keyOf(line) === undefined).length;
    if (bad > 0)
      await warn(`${bad} of the SSH keys of the user ${name} are no public keys, and let nobody in.`);
    await addAuthorizedKeys(host, account, sshAuthorizedKeys);
  }
  return isNew ? `${name} created` : `${name} was there`;
}

function aboutPassword(result: PasswordResult, name: string): string | undefined {
  return {
    'as-asked': undefined,
    'initial-ignored': `The user ${name} was there already, so its passwd is not used; hashed_passwd changes the password of a user that is there.`,
    'not-unlocked': `The user ${name} stays locked although lock_passwd is false: it has no password.`,
  }[result];
}

/** What keeps everybody from a password: no hash is like it. */
const NO_PASSWORD = '*';

/**
 * Makes, changes or removes a user until it is as said (Ignition's `EnsureUser`). A new user without a hash
 * has no password.
 *
 * @throws Problem UserNotCreated, ToolMissing
 */
async function ensureUser(
  host: Host,
  user: UserEntry,
  { exists, noLogInit }: NonNullable<UserEntry['exact']>,
): Promise<string> {
  const { name, sshAuthorizedKeys } = user;
  const isThere = (await findAccount(host, name)) !== undefined;
  const run = (argv: [string, ...string[]], doing: string, input?: string) =>
    runTool(host, argv, { doing: `${doing} ${name}`, code: 'UserNotCreated', ...(input ? { input } : {}) });
  if (!exists) {
    if (isThere) await run(['userdel', '--remove', '--', name], 'remove the user');
    return isThere ? `${name} removed` : `${name} was not there`;
  }
  const settings = isThere ? changes(user) : creation(user, noLogInit);
  if (!isThere) await run(['useradd', ...settings, '--', name], 'create the user');
  else if (settings.length > 0) await run(['usermod', ...settings, '--', name], 'change the user');
  const hash = user.passwordHash?.reveal();
  if (hash) await run(['chpasswd', '-e'], 'set the password of the user', `${name}:${hash}\n`);
  else if (hash === '' || !isThere)
    await run(['usermod', '--password', NO_PASSWORD, '--', name], 'lock the password of the user');
  if (sshAuthorizedKeys.length > 0) {
    const account = await findAccount(host, name);
    if (!account) throw new StepError('UserNotCreated', `There is no user ${name} though it was created`);
    await addAuthorizedKeys(host, account, sshAuthorizedKeys);
  }
  return isThere ? `${name} as asked` : `${name} created`;
}

function creation(user: UserEntry, noLogInit: boolean): string[] {
  return [
    ...(user.homedir ? ['--home-dir', user.homedir] : []),
    user.noCreateHome ? '--no-create-home' : '--create-home',
    ...(user.noUserGroup ? ['--no-user-group'] : []),
    ...(user.system ? ['--system'] : []),
    ...(noLogInit ? ['--no-log-init'] : []),
    ...common(user),
  ];
}

function changes(user: UserEntry): string[] {
  return [...(user.homedir ? ['--home', user.homedir, '--move-home'] : []), ...common(user)];
}

function common({ uid, gecos, primaryGroup, groups, shell }: UserEntry): string[] {
  return [
    ...(uid === undefined ? [] : ['--uid', String(uid)]),
    ...(gecos ? ['--comment', gecos] : []),
    ...(primaryGroup ? ['--gid', primaryGroup] : []),
    ...(groups.length > 0 ? ['--groups', groups.join(',')] : []),
    ...(shell ? ['--shell', shell] : []),
  ];
}

/**
 * Creates a user unless it exists (cloud-init's `Distro.add_user`), after any missing groups; system users
 * get no home directory. It does not change an existing user.
 *
 * @returns the user, and whether it is new
 * @throws Problem UserNotCreated, GroupNotCreated, ToolMissing
 */
async function createUser(
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
