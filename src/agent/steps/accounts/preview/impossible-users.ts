import type { Diagnostic, Document, UserEntry } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { entryAt } from '../../kind/preview.ts';
import { ACCOUNT_FILES } from '../../tools/places.ts';
import { findAccount, groupExists } from '../files/database.ts';
import { refusedUsers } from './refused-names.ts';

type Account = { name: string; id: string };

/** Users that the machine's own programs would refuse to make: their step would tell it when other things have been done. An error in Ignition's only. */
export async function impossibleUsers(
  host: Pick<Host, 'files' | 'processes'>,
  users: readonly UserEntry[],
  document: Document,
): Promise<Diagnostic[]> {
  const { groups, bootCommands, files } = document;
  const refused = await refusedUsers(host, users);
  // These run before, and may make room for a user.
  const isOpen =
    bootCommands.length > 0 ||
    files.some(({ path }) => ACCOUNT_FILES.has(path)) ||
    [...users, ...groups].some(({ exact }) => exact?.exists === false);
  if (isOpen) return refused;
  return [...refused, ...(await inTheWay(host, users, document)), ...(await withoutProgram(host, users))];
}

/** The node comes up without its users. */
async function withoutProgram(
  host: Pick<Host, 'files' | 'processes'>,
  users: readonly UserEntry[],
): Promise<Diagnostic[]> {
  if ((await host.processes.which('useradd')) !== undefined) return [];
  for (const { name, where } of users) {
    if ((await findAccount(host, name)) !== undefined) continue;
    const message = `The program useradd is not on this machine, so the user ${printable(name)} is not made`;
    return [entryAt('warning', where, 'ToolMissing', message)];
  }
  return [];
}

async function inTheWay(
  host: Pick<Host, 'files' | 'processes'>,
  users: readonly UserEntry[],
  { groups }: Document,
): Promise<Diagnostic[]> {
  const taken = await accountsOf(host, '/etc/passwd');
  const known = new Set([...(await accountsOf(host, '/etc/group')), ...groups].map(({ name }) => name));
  const makesOwnGroup = await makesGroupOfUser(host);
  const found: Diagnostic[] = [];
  for (const user of users) {
    const { name, primaryGroup, uid, exact } = user;
    const isThere = (await findAccount(host, name)) !== undefined;
    if (isThere && !exact) continue;
    const makesGroups = !exact && user.createsGroups !== false;
    const asked = [...user.groups, ...(primaryGroup ? [primaryGroup] : [])];
    if (makesGroups) for (const group of asked) known.add(group);
    const other = taken.find((account) => account.id === String(uid) && account.name !== name);
    if (other) found.push(problem(user, `its uid ${uid} is that of ${printable(other.name)}`));
    const missing = await firstMissing(host, asked, known);
    if (missing !== undefined) found.push(problem(user, `there is no group ${printable(missing)}`));
    const hasOwnGroup = !isThere && makesOwnGroup && !user.noUserGroup && primaryGroup === undefined;
    if (hasOwnGroup && known.has(name))
      found.push(
        problem(user, 'there is a group of its name, which useradd would make; name it as the primary group'),
      );
    if (hasOwnGroup) known.add(name);
    if (uid !== undefined) taken.push({ name, id: String(uid) });
  }
  return found;
}

async function firstMissing(
  host: Pick<Host, 'files' | 'processes'>,
  asked: readonly string[],
  known: ReadonlySet<string>,
): Promise<string | undefined> {
  // useradd takes numbers too.
  for (const group of asked)
    if (!known.has(group) && !/^\d+$/.test(group) && !(await groupExists(host, group))) return group;
  return undefined;
}

/** The accounts of one file; a machine may have more of them elsewhere. */
async function accountsOf({ files }: Pick<Host, 'files'>, path: string): Promise<Account[]> {
  const text = (await files.readIfPresent(path).catch(() => undefined))?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => {
    const [name = '', , id = ''] = line.split(':');
    return name === '' ? [] : [{ name, id }];
  });
}

/** Does useradd make a group for each user? Where nothing says so, that is not known. */
async function makesGroupOfUser({ files }: Pick<Host, 'files'>): Promise<boolean> {
  const text = (await files.readIfPresent('/etc/login.defs').catch(() => undefined))?.toString('utf8') ?? '';
  return /^[^\S\n]*USERGROUPS_ENAB\s+yes\b/m.test(text);
}

/** Ignition ends there; a node comes up without a user that a cloud-config asks for. */
function problem({ name, where, exact }: UserEntry, why: string): Diagnostic {
  const message = `The user ${printable(name)} cannot be made: ${why}`;
  return entryAt(exact ? 'error' : 'warning', where, 'UserNotCreated', message);
}
