import type { GroupEntry } from '../../document/document.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { createGroup } from './create-group.ts';
import { ensureGroup } from './ensure-group.ts';
import { findAccount, listedMembers } from './files/database.ts';

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
