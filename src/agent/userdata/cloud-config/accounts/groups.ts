import type { GroupEntry } from '../../../document/document.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { describe, type MappingEntry, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { isAccountName, NAME_RULE } from './names.ts';

/**
 * `groups`: names separated by commas, a list of names and `name: [members]` mappings, or one such mapping
 * (cloud-init's `_normalize_groups`). It joins members that several places give.
 */
export function readGroups(node: YamlNode, diagnostics: Diagnostics): GroupEntry[] {
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
