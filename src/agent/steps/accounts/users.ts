import type { UserEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry, place } from '../tools/each-entry.ts';
import { createUser } from './create-user.ts';
import { ensureUser } from './ensure-user.ts';
import { keyOf } from './files/authorized-keys.ts';
import { writeDoasRules } from './files/doas.ts';
import { addAuthorizedKeys } from './files/ssh-keys.ts';
import { writeSudoRules } from './files/sudoers.ts';
import { NewUsers } from './new-users.ts';
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
