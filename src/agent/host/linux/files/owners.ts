import { readFileSync } from 'node:fs';
import { HostError } from '../../host.ts';
import { resolveInRoot } from './resolve.ts';

/**
 * Looks up `user`, `user:group`, or numeric ids in the machine's own /etc/passwd and /etc/group.
 * A user without a group gets its primary group, as chown(1) does with `user:`; root is known without a file.
 *
 * @throws HostError EINVAL when the user or group is not known to the machine.
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
    // A root without the file simply knows nobody; the caller says whom it looked for.
    return undefined;
  }
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .find((fields) => fields[column] === value);
}
