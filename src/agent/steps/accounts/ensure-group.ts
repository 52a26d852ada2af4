import type { GroupEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { groupExists } from './files/database.ts';

/**
 * Makes, changes or removes a group until it is as said (Ignition's `EnsureGroup`).
 * @throws Problem GroupNotCreated, ToolMissing
 */
export async function ensureGroup(
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
