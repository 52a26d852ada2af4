import type { GroupEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { findAccount, groupExists, listedMembers } from './files/database.ts';

/**
 * Creates groups and adds users of the image to them (cloud-init's `create_group`). It runs before the step
 * that creates users, so as in cloud-init, a user from user data must name the group in its own `groups`.
 */
export const createGroups: Work<{ entries: GroupEntry[] }> = ({ entries }) => ({
  onFailure: 'continue',
  run: (context) =>
    eachEntry(entries, context, async (group) => {
      const { host, finding } = context;
      const { name, members, exact } = group;
      if (exact) return ensureGroup(host, group, exact);
      const created = await createGroup(host, name);
      const listed = await listedMembers(host, name);
      for (const member of members) {
        if (listed.includes(member)) continue;
        if (!(await findAccount(host, member))) {
          await finding({
            severity: 'warning',
            code: 'AccountSettingIgnored',
            message: `The user ${member} was not added to the group ${name}: there is no such user yet (users are created after groups; name the group at the user).`,
          });
          continue;
        }
        await runTool(host, ['usermod', '--append', '--groups', name, '--', member], {
          doing: `add the user ${member} to the group ${name}`,
          code: 'GroupNotCreated',
        });
      }
      return created ? `${name} created` : `${name} was there`;
    }),
});

/**
 * Makes, changes or removes a group until it is as said (Ignition's `EnsureGroup`).
 * @throws Problem GroupNotCreated, ToolMissing
 */
async function ensureGroup(
  host: Host,
  { name }: GroupEntry,
  { exists, gid, passwordHash, system }: NonNullable<GroupEntry['exact']>,
): Promise<string> {
  const isThere = await groupExists(host, name);
  const run = (argv: [string, ...string[]], doing: string, input?: string) =>
    runTool(host, argv, { doing: `${doing} ${name}`, code: 'GroupNotCreated', ...(input ? { input } : {}) });
  if (!exists) {
    if (isThere) await run(['groupdel', '--', name], 'remove the group');
    return isThere ? `${name} removed` : `${name} was not there`;
  }
  const number = gid === undefined ? [] : ['--gid', String(gid)];
  if (!isThere)
    await run(['groupadd', ...number, ...(system ? ['--system'] : []), '--', name], 'create the group');
  else if (number.length > 0) await run(['groupmod', ...number, '--', name], 'change the group');
  // Nobody sees what a program gets on its standard input.
  if (passwordHash)
    await run(['chgpasswd', '-e'], 'set the password of the group', `${name}:${passwordHash.reveal()}\n`);
  return isThere ? `${name} as asked` : `${name} created`;
}

/**
 * Creates a group unless it exists.
 * @returns whether it is new
 * @throws Problem GroupNotCreated
 */
export async function createGroup(host: Host, name: string): Promise<boolean> {
  if (await groupExists(host, name)) return false;
  await runTool(host, ['groupadd', '--', name], {
    doing: `create the group ${name}`,
    code: 'GroupNotCreated',
  });
  return true;
}
