import { readFileSync } from 'node:fs';
import { HostError } from '../../../host.ts';
import { resolveInRoot } from './resolve.ts';

/**
 * Looks up `user`, `user:group`, or numeric ids in the machine's own /etc/passwd and /etc/group. Without a
 * group, the user's primary group counts, as in chown(1) with `user:`. Root needs no file.
 *
 * @throws HostError EINVAL if the machine does not know the user or group
 */
export function lookupOwner(root: string, owner: string): { uid: number; gid: number } {
  const [user = '', group] = owner.split(':', 2);
  const account = lookupUser(root, user, owner);
  return { uid: account.uid, gid: group ? lookupGroup(root, group, owner) : account.gid };
}

function lookupUser(root: string, user: string, owner: string): { uid: number; gid: number } {
  if (user === 'root' || user === '') return { uid: 0, gid: 0 };
  const numeric = numericId(user);
  const fields = findLine(root, '/etc/passwd', numeric === undefined ? 0 : 2, user);
  if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  if (numeric !== undefined) return { uid: numeric, gid: numeric };
  throw new HostError(`there is no user "${user}" (owner "${owner}")`, 'EINVAL');
}

function lookupGroup(root: string, group: string, owner: string): number {
  if (group === 'root') return 0;
  const numeric = numericId(group);
  if (numeric !== undefined) return numeric;
  const fields = findLine(root, '/etc/group', 0, group);
  if (fields) return Number(fields[2]);
  throw new HostError(`there is no group "${group}" (owner "${owner}")`, 'EINVAL');
}

function numericId(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

function findLine(root: string, file: string, column: number, value: string): string[] | undefined {
  let text: string;
  try {
    text = readFileSync(resolveInRoot(root, file), 'utf8');
  } catch {
    // Without the file, the root knows nobody; the caller's error names the user or group.
    return undefined;
  }
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .find((fields) => fields[column] === value);
}
