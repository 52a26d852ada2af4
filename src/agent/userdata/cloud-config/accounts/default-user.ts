import type { Position } from '../../../document/document.ts';
import {
  type MappingNode,
  pythonText,
  type ScalarNode,
  valueAt,
  type YamlNode,
} from '../../../text/yaml/yaml-node.ts';
import { mergeDefaults } from '../../merge/merge.ts';

/** Where user data leave it to the image. `slipway check` knows none, and tells it as a note. */
export const NOT_IN_IMAGE =
  "no default user is created, because this image's /etc/cloud/cloud.cfg has no system_info.default_user";

interface WithDefault {
  /** `users` with the default user by its name, as the last. */
  users: YamlNode | undefined;
  /** Its name; absent where nobody asks for it, or nobody says who it is. */
  defaultUser?: string;
  /** Why there is none, for those whose settings were for it. */
  why: string;
  /** Where the user data says who that is, and nobody says what such a user is on this image. */
  bare?: { name: string; where: Position };
}

/**
 * Puts in the place of `default` in `users` the user that it stands for: the key `user` over the image's
 * `system_info.default_user`. The key `user` alone asks for it too (cloud-init's `normalize_users_groups`).
 */
export function withDefaultUser(
  users: YamlNode | undefined,
  user: YamlNode | undefined,
  systemInfo: YamlNode | undefined,
): WithDefault {
  const own: MappingNode | undefined =
    user?.kind === 'string' ? mapping([['name', user]], user.where) : asMapping(user);
  const image = asMapping(valueAt(systemInfo, 'default_user'));
  const who = image === undefined ? own : mergeDefaults(own, image);
  const name = who && textOf(valueAt(who, 'name'));
  const items = itemsOf(users);
  const isAsked = own !== undefined || items.some(isDefault);
  const isOfImage = image === undefined && (isAsked || users === undefined || users.kind === 'null');
  const why = isOfImage ? NOT_IN_IMAGE : 'no default user is created';
  if (who === undefined || name === undefined || !isAsked) return { users, why };
  const where = users?.where ?? who.where;
  // cloud-init takes groups of its own name and of the image, and drops those of `default`.
  const asked = items
    .filter(isDefault)
    .map((item) => without(without(asMapping(item) ?? mapping([], where), 'name'), 'groups'));
  const same = items
    .filter((item) => nameOf(item) === name)
    .map((item) => asMapping(item) ?? mapping([], where));
  const others = items.filter((item) => !isDefault(item) && nameOf(item) !== name);
  const groups = [...new Set([...same.flatMap(groupsOf), ...groupsOf(who)])].sort();
  const parts = [
    ...same.map((item) => without(without(item, 'name'), 'groups')),
    ...asked,
    without(who, 'groups'),
  ];
  const first: [string, YamlNode][] = [
    ['name', { kind: 'string', value: name, where }],
    ...(groups.length === 0
      ? []
      : ([['groups', { kind: 'string', value: groups.join(','), where }]] as [string, YamlNode][])),
  ];
  const whole = parts.reduce((upper, lower) => mergeDefaults(upper, lower), mapping(first, where));
  const bare = image === undefined ? { bare: { name, where: who.where } } : {};
  return { users: { kind: 'sequence', items: [...others, whole], where }, defaultUser: name, why, ...bare };
}

/** All forms of `users` as a list of names and mappings; what is none of them stays, for the reader to refuse. */
function itemsOf(users: YamlNode | undefined): YamlNode[] {
  if (users === undefined || users.kind === 'null') return [];
  if (users.kind === 'sequence') return users.items.flatMap(namesOf).map(withUnderscores);
  if (users.kind === 'string') return namesOf(users);
  if (users.kind !== 'mapping') return [users];
  return users.entries.flatMap(({ key, value }): YamlNode[] => {
    if (value.kind === 'mapping')
      return [
        withUnderscores(mapping([['name', key], ...without(value, 'name').entries.map(pair)], value.where)),
      ];
    const isWanted = /^(?:true|1|on|yes)$/i.test(pythonText(value)?.trim() ?? '');
    return isWanted ? [key] : [];
  });
}

/** cloud-init takes hyphens in a user's keys; only under one name does the user data's value win over the image's. */
function withUnderscores(item: YamlNode): YamlNode {
  if (item.kind !== 'mapping') return item;
  const entries = item.entries.map(({ key, value }) => ({
    key: key.kind === 'string' ? { ...key, value: key.value.replaceAll('-', '_').trim() } : key,
    value,
  }));
  return { ...item, entries };
}

/** A list within the list, or one text, holds names alone. */
function namesOf(item: YamlNode): YamlNode[] {
  if (item.kind === 'sequence' && item.items.every(({ kind }) => kind === 'string'))
    return item.items.flatMap(namesOf);
  if (item.kind !== 'string' || !item.value.includes(',')) return [item];
  const { where } = item;
  const names = item.value.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').map((value) => ({ kind: 'string', value, where }));
}

function isDefault(item: YamlNode): boolean {
  if (item.kind === 'string') return item.value === 'default';
  return (
    item.kind === 'mapping' && (textOf(valueAt(item, 'name')) ?? 'default') === 'default' && !isEmpty(item)
  );
}

/** A mapping without a name that has nothing else either, or is one of snap's, is nobody's. */
function isEmpty(item: MappingNode): boolean {
  return item.entries.length === 0 || valueAt(item, 'snapuser') !== undefined;
}

const nameOf = (item: YamlNode): string | undefined =>
  item.kind === 'string' ? item.value : textOf(valueAt(item, 'name'));

function groupsOf(item: MappingNode): string[] {
  const node = valueAt(item, 'groups');
  const texts =
    node?.kind === 'sequence' ? node.items.map((each) => pythonText(each) ?? '') : [textOf(node) ?? ''];
  return texts.flatMap((text) => text.split(',')).flatMap((name) => name.trim() || []);
}

const textOf = (node: YamlNode | undefined): string | undefined =>
  node === undefined || node.kind === 'null' ? undefined : pythonText(node);

const asMapping = (node: YamlNode | undefined): MappingNode | undefined =>
  node?.kind === 'mapping' ? node : undefined;

function without(node: MappingNode, name: string): MappingNode {
  return { ...node, entries: node.entries.filter(({ key }) => pythonText(key) !== name) };
}

const pair = ({ key, value }: MappingNode['entries'][number]): [ScalarNode, YamlNode] => [key, value];

function mapping(
  fields: readonly (readonly [string | ScalarNode, YamlNode])[],
  where: Position,
): MappingNode {
  const entries = fields.map(([key, value]) => ({
    key: typeof key === 'string' ? { kind: 'string' as const, value: key, where } : key,
    value,
  }));
  return { kind: 'mapping', entries, where };
}
