import { dirname } from 'node:path/posix';
import type { Host } from '../../host/host.ts';
import { Problem } from '../tools/problem.ts';
import { runTool } from '../tools/tool.ts';
import { keysPath, withKeys } from './authorized-keys.ts';
import type { Account } from './database.ts';

/**
 * Adds public keys to a user's authorized_keys. The user owns the file (0600) and a new directory (0700). It
 * refuses symbolic links inside the home directory, with which the user could choose what root writes to.
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
  await prepareDirectory(host, account, dirname(path));
  await refuseLink(host, account, path);
  const present = (await host.files.readIfPresent(path))?.toString('utf8');
  const wanted = withKeys(present ?? '', keys);
  if (wanted === present) return;
  const mode = (await host.files.stat(path))?.mode ?? 0o600;
  await host.files.write(path, wanted, { mode, owner: `${account.uid}:${account.gid}` });
}

async function prepareDirectory(host: Host, account: Account, directory: string): Promise<void> {
  const isOwn = directory === account.home || directory.startsWith(`${account.home}/`);
  if (isOwn && !(await host.files.stat(account.home))) {
    const cause = `The SSH keys of the user ${account.name} were not written: its home directory ${account.home} is not there`;
    throw new Problem('UserNotCreated', cause);
  }
  for (const step of isOwn ? pathsBelow(account.home, directory) : []) {
    await refuseLink(host, account, step);
    if (await host.files.stat(step)) continue;
    const owner = ['-o', String(account.uid), '-g', String(account.gid)];
    await runTool(host, ['install', '-d', '-m', '0700', ...owner, '--', step], {
      doing: `create ${step}`,
      code: 'UserNotCreated',
    });
  }
}

/** All directories below `base` down to `path`, from the top. */
function pathsBelow(base: string, path: string): string[] {
  const names = path
    .slice(base.length)
    .split('/')
    .filter((name) => name !== '');
  return names.map((_, index) => [base, ...names.slice(0, index + 1)].join('/'));
}

async function refuseLink(host: Host, account: Account, path: string): Promise<void> {
  if ((await host.files.stat(path))?.kind !== 'symlink') return;
  const cause = `The SSH keys of the user ${account.name} were not written: ${path} is a symbolic link`;
  throw new Problem('UserNotCreated', cause);
}
