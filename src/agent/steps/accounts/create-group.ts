import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { groupExists } from './files/database.ts';

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
