import type { UserEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { passwordField } from './files/database.ts';

/** A user's password afterwards; `not-unlocked`: user data wants an open account but gives no password. */
export type PasswordResult = 'as-asked' | 'initial-ignored' | 'not-unlocked';

/**
 * Sets, locks and unlocks a password like cloud-init's `Distro.create_user` (25.x): `passwd` is only for new
 * users, the other two for any. The account stays locked unless `lock_passwd` is false, and even then without
 * a password. It skips what is in force already. chpasswd gets passwords on its standard input.
 *
 * @throws Problem UserNotCreated
 */
export async function setPassword(host: Host, user: UserEntry, isNew: boolean): Promise<PasswordResult> {
  const { name, plainPassword, passwordHash, initialPasswordHash } = user;
  if (plainPassword) await change(host, name, plainPassword.reveal(), []);
  // useradd takes that of a new user, and the other two come behind it.
  const hash = passwordHash ?? (isNew && !plainPassword ? initialPasswordHash : undefined);
  if (hash && unlocked(await passwordField(host, name)) !== hash.reveal()) {
    await change(host, name, hash.reveal(), ['-e']);
  }
  const field = await passwordField(host, name);
  const isLocked = field?.startsWith('!') ?? false;
  const ignored = !isNew && initialPasswordHash && !passwordHash && !plainPassword;
  if (user.lockPassword) {
    if (!isLocked) await lock(host, name, '--lock');
  } else if (isLocked) {
    // A lone "!" means that there is no password; unlocking it would open the account to everybody.
    if (isNew && !plainPassword && !hash) return 'not-unlocked';
    if (/^[!*]*$/.test(field ?? '')) return 'not-unlocked';
    await lock(host, name, '--unlock');
  }
  return ignored ? 'initial-ignored' : 'as-asked';
}

function unlocked(field: string | undefined): string | undefined {
  return field?.replace(/^!+/, '');
}

async function change(host: Host, name: string, password: string, flags: string[]): Promise<void> {
  await runTool(host, ['chpasswd', ...flags], {
    doing: `set the password of the user ${name}`,
    code: 'UserNotCreated',
    input: `${name}:${password}\n`,
  });
}

async function lock(host: Host, name: string, flag: '--lock' | '--unlock'): Promise<void> {
  await runTool(host, ['usermod', flag, '--', name], {
    doing: `${flag.slice(2)} the password of the user ${name}`,
    code: 'UserNotCreated',
  });
}
