import { dirname } from 'node:path/posix';
import { type Host, HostError } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';
import { keysPath, withKeys } from './authorized-keys.ts';
import type { Account } from './database.ts';

const MOST_BYTES = 1024 * 1024;
/** What the user has put in the way of the file, by the host's error. */
const IN_THE_WAY = ['ELOOP', 'EINVAL', 'EISDIR', 'EFBIG', 'ENOTDIR', 'EACCES'];

/**
 * Adds public keys to a user's authorized_keys. The user owns the file (0600) and a new directory (0700). It
 * follows no symbolic link inside the home directory, with which the user could choose what root writes to.
 *
 * @throws Problem UserNotCreated
 */
export async function addAuthorizedKeys(
  host: Host,
  account: Account,
  keys: readonly string[],
): Promise<void> {
  const config = (await host.files.readIfPresent('/etc/ssh/sshd_config'))?.toString('utf8') ?? '';
  const path = keysPath(config, account.name, account.home);
  const isOwn = path.startsWith(`${account.home}/`);
  if (isOwn && !(await host.files.stat(account.home)))
    throw notWritten(account, `its home directory ${account.home} is not there`);
  try {
    await writeKeys(host, account, path, keys, isOwn);
  } catch (error) {
    if (error instanceof HostError && IN_THE_WAY.includes(error.errno))
      throw notWritten(account, error.message);
    throw error;
  }
}

async function writeKeys(
  host: Host,
  account: Account,
  path: string,
  keys: readonly string[],
  isOwn: boolean,
): Promise<void> {
  for (const step of isOwn ? pathsBelow(account.home, path) : [path]) {
    if ((await host.files.stat(step))?.kind === 'symlink')
      throw notWritten(account, `${step} is a symbolic link`);
  }
  const present = (await host.files.readIfPresent(path, MOST_BYTES))?.toString('utf8');
  const wanted = withKeys(present ?? '', keys);
  if (wanted === present) return;
  const mode = (await host.files.stat(path))?.mode ?? 0o600;
  const directory = isOwn && dirname(path) !== account.home ? { ownsParents: true, parentsMode: 0o700 } : {};
  await host.files.write(path, wanted, { mode, owner: `${account.uid}:${account.gid}`, ...directory });
}

/** All paths below `base` down to `path`, from the top. */
function pathsBelow(base: string, path: string): string[] {
  const names = path
    .slice(base.length)
    .split('/')
    .filter((name) => name !== '');
  return names.map((_, index) => [base, ...names.slice(0, index + 1)].join('/'));
}

function notWritten(account: Account, why: string): StepError {
  return new StepError('UserNotCreated', `The SSH keys of the user ${account.name} were not written: ${why}`);
}
