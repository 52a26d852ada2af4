import type { GroupEntry } from '../../../document/document.ts';
import type { Report } from '../../../text/diagnostics.ts';
import { describe, type MappingEntry, type Node, pythonText } from '../../../text/yaml/yaml-node.ts';
import { isAccountName, NAME_RULE } from './names.ts';

/**
 * `groups`: names separated by commas, a list of names and `name: [members]` mappings, or one such mapping
 * (cloud-init's `_normalize_groups`). It joins members that several places give.
 */
export function readGroups(node: Node, report: Report): GroupEntry[] {
  const groups = new Map<string, Set<string>>();
  const add = (name: string, members: string[], place: Node): void => {
    const wrong = [name, ...members].some((each) => !isAccountName(each));
    if (wrong) report.error('UserDataInvalid', `groups: ${NAME_RULE}`, place.where);
    const known = groups.get(name) ?? new Set();
    for (const member of members) known.add(member);
    groups.set(name, known);
  };
  const addEntry = ({ key, value }: MappingEntry): void =>
    add(pythonText(key) ?? '', membersOf(value, report), key);
  for (const item of node.kind === 'sequence' ? node.items : [node]) {
    if (item.kind === 'mapping') item.entries.forEach(addEntry);
    else if (item.kind === 'string') for (const name of split(item.value)) add(name, [], item);
    else if (item.kind !== 'null' || node.kind === 'sequence') {
      report.error(
        'UserDataInvalid',
        `groups must be a list of names or mappings, not ${describe(item)}.`,
        item.where,
      );
    }
  }
  return [...groups].map(([name, members]) => ({ name, members: [...members].sort() }));
}

function membersOf(node: Node, report: Report): string[] {
  if (node.kind === 'string') return split(node.value);
  if (node.kind === 'sequence' && node.items.every((item) => item.kind === 'string')) {
    return node.items.flatMap((item) => split(pythonText(item) ?? ''));
  }
  if (node.kind !== 'null') {
    report.error(
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
