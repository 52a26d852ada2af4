import type { Diagnostic, GroupEntry } from '../../../document/document.ts';
import { entryAt, type PreviewContext } from '../../kind/preview.ts';
import { refusedGroups } from './refused-names.ts';

/** Of users it is utmp's field, for useradd up to 4.13. */
export const LONGEST_NAME = 32;

/** What of groups will not be as the user data says. */
export async function previewGroups(
  specs: readonly { entries: GroupEntry[] }[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const groups = specs.flatMap(({ entries }) => entries);
  const { moment, host, document } = context;
  return [
    ...(moment === 'start' ? [] : withoutMembers(groups, context)),
    ...(moment === 'check' ? withLongNames(groups) : []),
    ...(moment === 'plan' || (moment === 'start' && document.order === 'stages')
      ? await refusedGroups(host, groups)
      : []),
  ];
}

function withoutMembers(groups: readonly GroupEntry[], { document }: PreviewContext): Diagnostic[] {
  const later = new Set(document.users.filter(({ exact }) => exact === undefined).map(({ name }) => name));
  return groups.flatMap(({ name, members }) =>
    members
      .filter((member) => later.has(member))
      .map((member) =>
        ignored(
          `The user ${member} is made after the groups, so only one that is there already becomes a member of ${name}; name the group at the user.`,
        ),
      ),
  );
}

function withLongNames(groups: readonly GroupEntry[]): Diagnostic[] {
  return groups
    .filter(({ name }) => name.length > LONGEST_NAME)
    .map(({ name }) =>
      ignored(`The group ${name} may not be made: its name has more than ${LONGEST_NAME} letters.`),
    );
}

const ignored = (message: string): Diagnostic =>
  entryAt('warning', undefined, 'AccountSettingIgnored', message);
