import { sensitive } from '../../../../secrets/sensitive.ts';
import { readKeyId } from '../../../document/accounts.ts';
import type { UserEntry } from '../../../document/document.ts';
import { sudoRuleProblem } from '../../../text/sudo-rule.ts';
import type { Fields } from '../../../text/yaml/fields.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';
import { NOT_IN_IMAGE } from './default-user.ts';
import { isAccountName, NAME_RULE } from './names.ts';
import { type PublicKeyTarget, redirectedKeys } from './redirected-login.ts';

/**
 * One user with cloud-init's defaults: locked password, home directory, a group of its own
 * (`Distro.create_user`).
 *
 * @param letIn whom the source's keys let in
 * @param given the name, if it stands outside the mapping
 * @returns undefined after an error in the name
 */
export function readUser(fields: Fields, letIn: PublicKeyTarget, given?: string): UserEntry | undefined {
  const inside = fields.looseText('name');
  const name = given ?? inside;
  if (fields.node('snapuser') !== undefined) {
    fields.warn(
      'snapuser',
      'snapuser requests an Ubuntu One user from snapd, which only Ubuntu Core supports; the user is skipped. Set name and ssh_import_id instead.',
    );
    return undefined;
  }
  if (name === undefined || !isAccountName(name)) {
    fields.wrong('name', name === undefined ? nameless(fields, letIn) : NAME_RULE);
    return undefined;
  }
  const user: UserEntry = {
    name,
    ...optional('gecos', line(fields, 'gecos')),
    ...optional('homedir', homedir(fields)),
    ...optional('shell', shell(fields)),
    ...optional('primaryGroup', account(fields, 'primary_group')),
    groups: groupNames(fields),
    system: fields.bool('system', false),
    noCreateHome: fields.bool('no_create_home', false),
    noUserGroup: fields.bool('no_user_group', false),
    ...optional('uid', uid(fields)),
    ...optional('inactive', inactive(fields)),
    ...optional('expiredate', expiry(fields)),
    ...passwords(fields),
    lockPassword: fields.bool('lock_passwd', true),
    sudo: sudoRules(fields),
    ...doasRules(fields, name),
    ...optional('selinuxUser', account(fields, 'selinux_user')),
    ...(fields.bool('create_groups', true) ? {} : { createsGroups: false }),
    ...(fields.bool('no_log_init', false) ? { noLogInit: true } : {}),
    sshAuthorizedKeys: [...sshKeys(fields), ...redirectedKeys(fields, name, letIn)],
    ...importIds(fields),
    where: fields.where,
  };
  fields.finish({
    password: 'is not known (use plain_text_passwd for a plain-text password, hashed_passwd for a hash)',
  });
  return user;
}

/** With something in it, it is the default user's, whom only the image may know. */
function nameless(fields: Fields, { why }: PublicKeyTarget): string {
  const isDefault = why === NOT_IN_IMAGE && fields.names().length > 0;
  return isDefault
    ? `an item has no name, so it applies to the default user: ${why}.`
    : 'an item has no name.';
}

/** `{key: value}`, or nothing without a value: optional properties are absent, not undefined. */
function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/**
 * A value for one field of /etc/passwd or /etc/shadow. As in cloud-init, a boolean has no effect; Cluster API
 * writes `inactive: false`.
 */
function line(fields: Fields, name: string): string | undefined {
  const node = fields.node(name);
  if (node?.kind === 'bool') {
    if (node.value) fields.warn(name, `${name} must be a string; true has no effect.`);
    return undefined;
  }
  const text = fields.looseText(name);
  if (text === undefined || text === '') return undefined;
  if (!/[\n:]/.test(text)) return text;
  fields.wrong(name, `${name} must not contain a colon or a line break.`);
  return undefined;
}

function homedir(fields: Fields): string | undefined {
  const path = line(fields, 'homedir');
  if (path === undefined || path.startsWith('/')) return path;
  fields.wrong('homedir', 'homedir must be an absolute path.');
  return undefined;
}

function shell(fields: Fields): string | undefined {
  const path = line(fields, 'shell');
  if (path === undefined || /^[/*]/.test(path)) return path;
  fields.wrong('shell', 'shell must be an absolute path, such as /bin/bash.');
  return undefined;
}

function inactive(fields: Fields): string | undefined {
  const days = line(fields, 'inactive');
  if (days === undefined || /^\s*(?:\d+|-1)$/.test(days)) return days;
  fields.wrong('inactive', 'inactive must be a number of days, or -1 for never.');
  return undefined;
}

/** Versions of useradd differ in what dates they read; refused is only what none of them does. */
function expiry(fields: Fields): string | undefined {
  const text = line(fields, 'expiredate');
  if (text === undefined || /^-?\d+$/.test(text)) return text;
  const [, year, month, day] = (/^(\d{4})-(\d\d?)-(\d\d?)\s*$/.exec(text) ?? []).map(Number);
  const isDate =
    year === undefined || month === undefined || day === undefined
      ? !/^(?:[\d\s,.-]+|never|none)$/i.test(text)
      : month > 0 && day > 0 && month < 13 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (isDate) return text;
  fields.wrong('expiredate', 'expiredate must be a valid date, such as "2030-12-31".');
  return undefined;
}

function account(fields: Fields, name: string): string | undefined {
  const text = fields.looseText(name)?.trim();
  if (text === undefined || text === '' || isAccountName(text)) return text === '' ? undefined : text;
  fields.wrong(name, NAME_RULE);
  return undefined;
}

function groupNames(fields: Fields): string[] {
  const node = fields.node('groups');
  if (node === undefined) return [];
  const texts =
    node.kind === 'mapping'
      ? node.entries.map(({ key }) => pythonText(key) ?? '')
      : fields.texts('groups', true);
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  const kept = names.filter((name) => name !== '');
  if (!kept.every(isAccountName)) fields.wrong('groups', NAME_RULE);
  return [...new Set(kept)];
}

function uid(fields: Fields): number | undefined {
  const text = fields.looseText('uid');
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
  // To the kernel and to old software, the two highest ids mean "no user".
  if (value < 4294967294) return value;
  fields.wrong('uid', 'uid must be a number from 0 to 4294967293.');
  return undefined;
}

/**
 * `passwd` (only for a new user) and `hashed_passwd` are hashes for crypt(3); `plain_text_passwd` is the
 * password itself.
 */
function passwords(
  fields: Fields,
): Pick<UserEntry, 'passwordHash' | 'initialPasswordHash' | 'plainPassword'> {
  const hash = line(fields, 'hashed_passwd');
  const initial = line(fields, 'passwd');
  const plain = fields.looseText('plain_text_passwd');
  if (plain?.includes('\n')) fields.wrong('plain_text_passwd', 'a password must be a single line.');
  return {
    ...optional('passwordHash', hash === undefined ? undefined : sensitive(hash)),
    ...optional('initialPasswordHash', initial === undefined ? undefined : sensitive(initial)),
    ...optional('plainPassword', plain === undefined || plain === '' ? undefined : sensitive(plain)),
  };
}

function sudoRules(fields: Fields): string[] {
  const node = fields.node('sudo');
  if (node === undefined || (node.kind === 'bool' && !node.value)) return [];
  const rules = fields.texts('sudo', true).map((rule) => rule.trim());
  if (rules.some((rule) => rule.includes('\n'))) fields.wrong('sudo', 'a sudo rule must be a single line.');
  const given = rules.filter((rule) => rule !== '');
  const at = given.findIndex((rule) => sudoRuleProblem(rule) !== undefined);
  if (at >= 0) fields.wrong('sudo', `sudo cannot read rule ${at + 1}: ${sudoRuleProblem(given[at] ?? '')}.`);
  return given;
}

/** cloud-init's own measure of a rule: it must be one, and about this user. */
const DOAS =
  /^(?:permit|deny)(?:\s+(?:nolog|nopass|persist|keepenv|setenv \{[^}\n]+\}))*\s+(\w+)(?:\s+as\s+\w+)?(?:\s+cmd\s+\S+(?:\s+args(?:[^\S\n]+\S+)*)?)?$/;

function doasRules(fields: Fields, name: string): Pick<UserEntry, 'doas'> {
  const rules = fields.texts('doas').map((rule) => rule.trim());
  if (rules.every((rule) => DOAS.exec(rule)?.[1] === name && !rule.includes('\n')))
    return rules.length === 0 ? {} : { doas: rules };
  fields.warn(
    'doas',
    'doas must contain doas.conf rules, one line each, for this user, whose name may have only letters, digits and _ there; none of the rules is written.',
  );
  return {};
}

function sshKeys(fields: Fields): string[] {
  const node = fields.node('ssh_authorized_keys');
  if (node === undefined) return [];
  const texts =
    node.kind === 'mapping' ? node.entries.map(({ value }) => pythonText(value) ?? '') : keyLines(fields);
  return texts.flatMap((text) => text.split('\n')).flatMap((key) => (key.trim() === '' ? [] : [key.trim()]));
}

/** Fetched later; their form is known before. */
function importIds(fields: Fields): Pick<UserEntry, 'importIds'> {
  if (fields.node('ssh_import_id') === undefined) return {};
  const all = fields.texts('ssh_import_id', true).map((id) => id.trim());
  const ids = all.filter((id) => readKeyId(id) !== undefined);
  if (ids.length < all.length)
    fields.warn(
      'ssh_import_id',
      'ssh_import_id contains an entry that is not a name such as gh:NAME or lp:NAME; it is skipped.',
    );
  return ids.length === 0 ? {} : { importIds: ids };
}

/** Cluster API's kubeadm provider writes `[null]` where a key is the empty string. */
function keyLines(fields: Fields): string[] {
  const node = fields.node('ssh_authorized_keys');
  if (node?.kind !== 'sequence' || node.items.every(({ kind }) => kind !== 'null'))
    return fields.texts('ssh_authorized_keys', true);
  fields.warn('ssh_authorized_keys', 'ssh_authorized_keys contains an empty key, which is skipped.');
  return node.items.flatMap((item) =>
    item.kind === 'null' ? [] : fields.textOf('ssh_authorized_keys', item),
  );
}
