import { pluralize } from '../../../kit/pluralize.ts';
import type { GroupEntry, UserEntry } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';

/** Kinds of steps that make groups and users. Each says what the document wants, and who does it. */
export const groups: StepKind<{ entries: GroupEntry[] }> = {
  name: 'groups',
  plan: ({ groups: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'groups', title: `create ${pluralize(entries.length, 'group')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ name }) => name),
  preview: async (specs, context) =>
    (await import('./preview/preview-groups.ts')).previewGroups(specs, context),
  work: async () => (await import('./groups.ts')).createGroups,
};

export const users: StepKind<{ entries: UserEntry[] }> = {
  name: 'users',
  plan: ({ users: entries }) =>
    entries.length === 0
      ? []
      : [{ id: 'users', title: `create ${pluralize(entries.length, 'user')}`, spec: { entries } }],
  details: ({ entries }) => entries.map(({ name }) => name),
  preview: async (specs, context) =>
    (await import('./preview/preview-users.ts')).previewUsers(specs, context),
  work: async () => (await import('./users.ts')).createUsers,
};
