import type { GroupEntry, UserEntry } from '../../../document/document.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import {
  describe,
  type MappingEntry,
  type MappingNode,
  pythonText,
  type YamlNode,
} from '../../../text/yaml/yaml-node.ts';
import { NOT_IN_IMAGE } from './default-user.ts';
import { isAccountName, NAME_RULE } from './names.ts';
import type { PublicKeyTarget } from './redirected-login.ts';
import { readUser } from './user.ts';

/**
 * `users` and `groups` (cloud-init's `cc_users_groups`). Users are a list of mappings and names, a mapping of
 * names, or names separated by commas. `default` is among them only where nobody says who that is.
 */
export function readUsersAndGroups(
  users: YamlNode | undefined,
  groups: YamlNode | undefined,
  letIn: PublicKeyTarget,
  diagnostics: Diagnostics,
): { users: UserEntry[]; groups: GroupEntry[] } {
  return {
    users: users === undefined ? [] : readUsers(users, letIn, diagnostics),
    groups: groups === undefined ? [] : readGroups(groups, diagnostics),
  };
}

/** A mapping of names to settings, or to true: what is neither makes nobody, as where one user's settings stand in no list. */
export function refuseUnnamed(users: YamlNode | undefined, diagnostics: Diagnostics): void {
  if (users?.kind !== 'mapping') return;
  for (const { key, value } of users.entries) {
    const name = printable(pythonText(key) ?? '');
    if (
      value.kind === 'mapping' ||
      /^(?:true|1|on|yes|false|0|off|no)$/i.test(pythonText(value)?.trim() ?? '')
    )
      continue;
    const message = `users: ${name} must be a mapping of the settings of the user ${name}, or true. To configure one user, write a list item: "- name: NAME", with the other settings below it.`;
    diagnostics.error('UserDataInvalid', message, key.where);
    return;
  }
}

function readUsers(node: YamlNode, letIn: PublicKeyTarget, diagnostics: Diagnostics): UserEntry[] {
  switch (node.kind) {
    case 'null':
      return [];
    case 'sequence':
      return unique(
        node.items.flatMap((item) => readItem(item, letIn, diagnostics)),
        diagnostics,
      );
    case 'string':
      return namedUsers(node, diagnostics);
    case 'mapping':
      return node.entries.flatMap(({ key, value }) => {
        const name = pythonText(key) ?? '';
        if (value.kind === 'mapping') return fullUser(value, letIn, diagnostics, name);
        const wanted = /^(?:true|1|on|yes)$/i.test(pythonText(value)?.trim() ?? '');
        return wanted ? namedUser(name, key, diagnostics) : [];
      });
    default:
      diagnostics.error('UserDataInvalid', `users must be a list, not ${describe(node)}.`, node.where);
      return [];
  }
}

function readItem(item: YamlNode, letIn: PublicKeyTarget, diagnostics: Diagnostics): UserEntry[] {
  if (item.kind === 'mapping') return fullUser(item, letIn, diagnostics);
  if (item.kind === 'string') return namedUsers(item, diagnostics);
  if (item.kind === 'sequence' && item.items.every((inner) => inner.kind === 'string')) {
    return item.items.flatMap((inner) => namedUsers(inner, diagnostics));
  }
  diagnostics.error(
    'UserDataInvalid',
    `users: every item must be a mapping or a name, not ${describe(item)}.`,
    item.where,
  );
  return [];
}

function namedUsers(node: YamlNode, diagnostics: Diagnostics): UserEntry[] {
  const names = (pythonText(node) ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').flatMap((name) => namedUser(name, node, diagnostics));
}

function namedUser(name: string, node: YamlNode, diagnostics: Diagnostics): UserEntry[] {
  if (name === 'default') {
    const message = `users: default has no effect: ${NOT_IN_IMAGE}. Name a user instead, or define default_user there.`;
    diagnostics.warn('UserDataIgnoredKey', message, node.where);
    return [];
  }
  if (!isAccountName(name)) {
    diagnostics.error('UserDataInvalid', `users: ${NAME_RULE}`, node.where);
    return [];
  }
  return fullUser(
    { kind: 'mapping', entries: [], where: node.where },
    { publicKeys: [], why: '' },
    diagnostics,
    name,
  );
}

function fullUser(
  item: MappingNode,
  letIn: PublicKeyTarget,
  diagnostics: Diagnostics,
  name?: string,
): UserEntry[] {
  // cloud-init accepts hyphens instead of underscores in a user's keys.
  const fields = new Fields(item, 'users', diagnostics, (key) => key.replaceAll('-', '_').trim());
  const user = readUser(fields, letIn, name);
  return user === undefined ? [] : [user];
}

/** Refuses a user that is given twice. cloud-init merges the two, but more likely it is a mistake. */
function unique(users: UserEntry[], diagnostics: Diagnostics): UserEntry[] {
  const seen = new Set<string>();
  for (const { name, where } of users) {
    if (seen.has(name))
      diagnostics.error(
        'UserDataInvalid',
        'users: the same user is listed twice; merge the two items.',
        where,
      );
    seen.add(name);
  }
  return users;
}

/**
 * `groups`: names separated by commas, a list of names and `name: [members]` mappings, or one such mapping
 * (cloud-init's `_normalize_groups`). It joins members that several places give.
 */
function readGroups(node: YamlNode, diagnostics: Diagnostics): GroupEntry[] {
  const groups = new Map<string, Set<string>>();
  const add = (name: string, members: string[], place: YamlNode): void => {
    const wrong = [name, ...members].some((each) => !isAccountName(each));
    if (wrong) diagnostics.error('UserDataInvalid', `groups: ${NAME_RULE}`, place.where);
    const known = groups.get(name) ?? new Set();
    for (const member of members) known.add(member);
    groups.set(name, known);
  };
  const addEntry = ({ key, value }: MappingEntry): void =>
    add(pythonText(key) ?? '', membersOf(value, diagnostics), key);
  for (const item of node.kind === 'sequence' ? node.items : [node]) {
    if (item.kind === 'mapping') item.entries.forEach(addEntry);
    else if (item.kind === 'string') for (const name of split(item.value)) add(name, [], item);
    else if (item.kind !== 'null' || node.kind === 'sequence') {
      diagnostics.error(
        'UserDataInvalid',
        `groups must be a list of names or mappings, not ${describe(item)}.`,
        item.where,
      );
    }
  }
  return [...groups].map(([name, members]) => ({ name, members: [...members].sort() }));
}

function membersOf(node: YamlNode, diagnostics: Diagnostics): string[] {
  if (node.kind === 'string') return split(node.value);
  if (node.kind === 'sequence' && node.items.every((item) => item.kind === 'string')) {
    return node.items.flatMap((item) => split(pythonText(item) ?? ''));
  }
  if (node.kind !== 'null') {
    diagnostics.error(
      'UserDataInvalid',
      `groups: members must be a list of names, not ${describe(node)}.`,
      node.where,
    );
  }
  return [];
}

function split(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
