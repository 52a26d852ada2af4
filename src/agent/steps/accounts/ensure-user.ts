import type { UserEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { findAccount } from './files/database.ts';
import { addAuthorizedKeys } from './files/ssh-keys.ts';

/** What keeps everybody from a password: no hash is like it. */
const NO_PASSWORD = '*';

/**
 * Makes, changes or removes a user until it is as said (Ignition's `EnsureUser`). A new user without a hash
 * has no password.
 *
 * @throws Problem UserNotCreated, ToolMissing
 */
export async function ensureUser(
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
